/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-describe PLUGIN.so [-o PLUGIN.assay.json]
 *
 * Writes a plugin's manifest: what the plugin says of itself, completed with `library` and `abi`. The file
 * appears whole or not at all. Exit status: 0; 1 if the plugin could not be described; 2 for wrong usage.
 */
#include <assay/abi/v1.h>

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char* text;
  size_t length, capacity;
  int out_of_memory;
} buffer;

static void append(void* context, const char* text, size_t length) {
  buffer* all = context;
  if (all->capacity - all->length < length + 1) {
    const size_t capacity = 2 * (all->length + length + 1);
    char* grown = realloc(all->text, capacity);
    if (!grown) {
      all->out_of_memory = 1;
      return;
    }
    all->text = grown;
    all->capacity = capacity;
  }
  memcpy(all->text + all->length, text, length);
  all->length += length;
  all->text[all->length] = '\0';
}

/* For messages. The plugin's sink has room for one context, and that is the buffer. */
static const char* plugin_path;

static int complain(const char* text) {
  fprintf(stderr, "assay-describe: %s: %s\n", plugin_path, text);
  return 1;
}

/* Until this program ends by itself, whoever ends the process is the plugin: a build must not take that for success. */
static int ends_by_itself;

static void at_exit(void) {
  if (ends_by_itself) return;
  complain("it ended the process while it was loaded or described");
  fflush(NULL);
  _exit(1);
}

static void fail(void* context, const char* text) {
  (void)context;
  complain(text);
}

/* A name as a JSON string; file names with control characters are refused before. */
static void write_text(FILE* out, const char* text) {
  fputc('"', out);
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static int write_manifest(FILE* out, const buffer* described, const char* library,
                          const assay_plugin_v1* plugin) {
  fwrite(described->text, 1, described->length, out);
  fputs(",\n  \"library\": ", out);
  write_text(out, library);
  fprintf(out,
          ",\n  \"abi\": {\"major\": %d, \"built_minor\": %u, \"needs_minor\": %u, \"preview\": %s}\n}\n",
          ASSAY_ABI_MAJOR, (unsigned)plugin->built_minor, (unsigned)plugin->needs_minor,
          ASSAY_ABI_PREVIEW ? "true" : "false");
  return fflush(out) == 0 && !ferror(out);
}

/* Removes the closing brace, so that more members can follow. */
static int open_object(buffer* described) {
  size_t length = described->length;
  while (length > 0 && strchr(" \t\r\n", described->text[length - 1])) --length;
  if (length == 0 || described->text[length - 1] != '}') return 0;
  --length;
  while (length > 0 && strchr(" \t\r\n", described->text[length - 1])) --length;
  described->text[length] = '\0';
  described->length = length;
  return length > 0 && described->text[0] == '{' && described->text[length - 1] != '{';
}

static int save(const char* path, const buffer* described, const char* library,
                const assay_plugin_v1* plugin) {
  const size_t length = strlen(path);
  char* temporary = malloc(length + 5);
  FILE* out;
  int written;
  if (!temporary) return complain("not enough memory");
  memcpy(temporary, path, length);
  memcpy(temporary + length, ".new", 5);
  out = fopen(temporary, "w");
  written = out && write_manifest(out, described, library, plugin);
  if (out && fclose(out) != 0) written = 0;
  if (!written || rename(temporary, path) != 0) {
    fprintf(stderr, "assay-describe: '%s' cannot be written: %s\n", path, strerror(errno));
    remove(temporary);
    free(temporary);
    return 1;
  }
  free(temporary);
  return 0;
}

/* Loads the library and collects what it says of itself. The entry's storage is static. */
static const assay_plugin_v1* load(const char* path, buffer* described) {
  const assay_text_sink sink = {sizeof(sink), 0, described, append, fail};
  assay_plugin_entry_v1_function entry;
  const assay_plugin_v1* plugin;
  assay_status status;
  void* symbol;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return complain(dlerror()), NULL;
  symbol = dlsym(library, ASSAY_ENTRY_SYMBOL);
  if (!symbol) return complain("it exports no " ASSAY_ENTRY_SYMBOL ", so it is not an Assay plugin"), NULL;
  memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from an object pointer to a function pointer */
  plugin = entry();
  if (!plugin) return complain(ASSAY_ENTRY_SYMBOL " returned NULL"), NULL;
  if (!ASSAY_HAS(plugin, describe)) {
    return complain("it has no describe function; give the build a manifest file instead"), NULL;
  }
  status = plugin->describe(&sink);
  if (status != ASSAY_OK) {
    char text[64];
    snprintf(text, sizeof(text), "describe returned status %ld", (long)status);
    return complain(text), NULL;
  }
  if (described->out_of_memory) return complain("there is not enough memory for its manifest"), NULL;
  if (!described->text || !open_object(described)) {
    return complain("describe wrote no JSON object with members"), NULL;
  }
  return plugin;
}

static int has_control_characters(const char* text) {
  for (; *text; ++text) {
    if ((unsigned char)*text < 0x20) return 1;
  }
  return 0;
}

/* `output` NULL: standard output. */
static int describe_file(const char* path, const char* output) {
  const char* name = strrchr(path, '/') + 1;
  const assay_plugin_v1* plugin;
  buffer described = {NULL, 0, 0, 0};
  int status = 1;
  if (has_control_characters(name)) return complain("its name has a control character; rename it");
  plugin = load(path, &described);
  if (plugin && output) {
    status = save(output, &described, name, plugin);
  } else if (plugin) {
    status = write_manifest(stdout, &described, name, plugin)
                 ? 0
                 : complain("its manifest could not be written to standard output");
  }
  free(described.text);
  return status;
}

int main(int count, char** arguments) {
  char* absolute;
  int status;
  if (count != 2 && !(count == 4 && strcmp(arguments[2], "-o") == 0)) {
    fputs("usage: assay-describe PLUGIN.so [-o PLUGIN.assay.json]\n", stderr);
    return 2;
  }
  plugin_path = arguments[1];
  absolute = realpath(plugin_path, NULL); /* a name without a slash would be sought in the system's folders */
  if (!absolute) return complain(strerror(errno));
  if (atexit(at_exit) != 0) return complain("it cannot be watched");
  status = describe_file(absolute, count == 4 ? arguments[3] : NULL);
  ends_by_itself = 1;
  free(absolute);
  return status;
}
