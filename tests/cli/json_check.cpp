// Checks NDJSON on standard input against the JSON Schemas in a folder, by RapidJSON's validator: json_check FOLDER.
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>

namespace {

struct Schema {
  rapidjson::Document text;
  std::unique_ptr<rapidjson::SchemaDocument> compiled;
};

Schema* schema_of(const std::string& folder, const std::string& type) {
  static std::unordered_map<std::string, Schema> known;
  Schema& schema = known[type];
  if (schema.compiled) return &schema;
  std::ifstream file(folder + "/" + type + ".schema.json");
  std::stringstream text;
  text << file.rdbuf();
  schema.text.Parse(text.str().c_str());
  if (!file || schema.text.HasParseError()) return nullptr;
  schema.compiled = std::make_unique<rapidjson::SchemaDocument>(schema.text);
  return &schema;
}

// Returns what is wrong with a line; empty: nothing.
std::string fault_of(const std::string& folder, const std::string& line, std::string& type) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseValidateEncodingFlag>(line.c_str());
  if (document.HasParseError()) return rapidjson::GetParseError_En(document.GetParseError());
  if (!document.IsObject() || !document.HasMember("type") || !document["type"].IsString()) {
    return "no object with a type";
  }
  type = document["type"].GetString();
  Schema* const schema = schema_of(folder, type);
  if (schema == nullptr) return "no schema for type " + type;
  rapidjson::SchemaValidator validator(*schema->compiled);
  if (!document.Accept(validator)) {
    rapidjson::StringBuffer where;
    validator.GetInvalidDocumentPointer().StringifyUriFragment(where);
    return std::string(validator.GetInvalidSchemaKeyword()) + " at " + where.GetString();
  }
  // Schemas allow more members, so that programs accept later versions; what we print must be described.
  // (Not a range for: RapidJSON's iterators compare ambiguously in C++20.)
  for (auto member = document.MemberBegin(); member < document.MemberEnd(); ++member) {
    if (!schema->text["properties"].HasMember(member->name)) {
      return std::string("member not in the schema: ") + member->name.GetString();
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::set<std::string> seen;
  std::size_t cases = 0;
  std::size_t failures = 0;
  for (std::string line; std::getline(std::cin, line);) {
    std::string type;
    ++cases;
    const std::string fault = fault_of(argv[1], line, type);
    if (fault.empty()) {
      seen.insert(type);
      continue;
    }
    ++failures;
    std::printf("%s\n  %s\n", fault.c_str(), line.c_str());
  }
  for (int i = 2; i < argc; ++i) {
    if (seen.contains(argv[i])) continue;
    std::printf("no object of type %s was printed\n", argv[i]);
    ++failures;
  }
  std::printf("cases=%zu failures=%zu\n", cases, failures);
  return failures == 0 && cases != 0 ? 0 : 1;
}
