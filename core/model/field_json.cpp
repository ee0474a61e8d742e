// SPDX-License-Identifier: Apache-2.0
#include "model/field_json.hpp"

#include <cstdint>

namespace assay::model::detail {
namespace {

const void* at(const WrittenMember& member, const void* owner) {
  return member.at(
      const_cast<void*>(owner));  // NOLINT(cppcoreguidelines-pro-type-const-cast): only a place is asked for
}

}  // namespace

Json object_of(const void* owner, std::span<const WrittenMember> members) {
  Json json = Json::object();
  // Names differ by construction. The library's own way makes an array of each pair first and compares each name with all before it, which
  // costs several times as much, in every visit.
  auto& map = json.get_ref<Json::object_t&>();
  map.reserve(members.size());
  for (const WrittenMember& one : members) {
    const bool is_empty =
        (one.traits & (kLeftOutIfEmpty | kNullIfEmpty)) != 0 && one.type->is_empty(at(one, owner));
    if (is_empty && (one.traits & kLeftOutIfEmpty) != 0) continue;
    map.emplace_back(one.name, is_empty ? Json() : one.type->to_json(at(one, owner)));
  }
  return json;
}

Json row_of(const void* owner, std::span<const WrittenMember> members) {
  Json json = Json::array();
  for (const WrittenMember& one : members) json.push_back(one.type->to_json(at(one, owner)));
  return json;
}

namespace {

// The index of a name in a table, or the table's size. In a document that keeps the table's order it follows the last one found.
template <class Cursor>
std::size_t place_of(std::span<const ReadMember<Cursor>> members, std::string_view name,
                     std::size_t expected) {
  const std::size_t count = members.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = expected + i < count ? expected + i : expected + i - count;
    if (members[at].name == name) return at;
  }
  return count;
}

template <class Cursor>
bool is_passed_over(const ReadMember<Cursor>& one, const Path& path) {
  return one.is((Cursor::kIsTree ? 0U : kLarge) | (path.is_brief() ? kDetail : 0U));
}

}  // namespace

template <class Cursor>
void read_one(const Cursor& from, void* owner, const ReadMember<Cursor>& one, const Path& path) {
  if (is_passed_over(one, path) || (one.is(kNullIfEmpty) && from.kind() == JsonKind::null))
    return from.pass();
  one.type->read(from, one.at(owner), Path(path, one.name));
}

template <class Cursor>
bool read_object(const Cursor& from, void* owner, std::span<const ReadMember<Cursor>> members,
                 ResetMember<Cursor> reset, const Path& path) {
  if (from.kind() != JsonKind::object) {
    from.pass();
    return path.wrong("is not an object");
  }
  std::uint64_t seen = 0;
  static_assert(kMembersAtMost <= 64);
  std::size_t next = 0;
  from.members([&](const Cursor& member, std::string_view key) {
    const std::size_t place = place_of(members, key, next);
    if (place == members.size()) return member.pass();
    next = place + 1;
    const ReadMember<Cursor>& one = members[place];
    if ((seen >> place & 1) != 0) reset(owner, one);  // of two the last counts
    seen |= std::uint64_t{1} << place;
    read_one(member, owner, one, path);
  });
  for (std::size_t place = 0; place < members.size(); ++place) {
    const ReadMember<Cursor>& one = members[place];
    if ((seen >> place & 1) == 0 && !one.is(kMayBeAbsent) && !is_passed_over(one, path))
      Path(path, one.name).wrong("is missing");
  }
  return true;
}

template <class Cursor>
bool read_row(const Cursor& from, void* owner, std::span<const ReadMember<Cursor>> members,
              const Path& path) {
  std::size_t place = 0;
  if (from.kind() == JsonKind::array && (!Cursor::kIsTree || from.size() == members.size())) {
    from.elements([&](const Cursor& element) {
      if (place < members.size()) {
        members[place].type->read(element, members[place].at(owner), Path(path, place));
      } else {
        element.pass();
      }
      ++place;
    });
  } else {
    from.pass();
  }
  if (place == members.size()) return true;
  return path.wrong("is not a row of " + std::to_string(members.size()) + " values");
}

template void read_one(const TextCursor&, void*, const ReadMember<TextCursor>&, const Path&);
template bool read_object(const TreeCursor&, void*, std::span<const ReadMember<TreeCursor>>,
                          ResetMember<TreeCursor>, const Path&);
template bool read_object(const TextCursor&, void*, std::span<const ReadMember<TextCursor>>,
                          ResetMember<TextCursor>, const Path&);
template bool read_row(const TreeCursor&, void*, std::span<const ReadMember<TreeCursor>>, const Path&);
template bool read_row(const TextCursor&, void*, std::span<const ReadMember<TextCursor>>, const Path&);

}  // namespace assay::model::detail
