// Prints what archives say about themselves.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "hdb/archive.hpp"

namespace hdb::inspect {

/// What became of one save file.
void print_put(Context& context, const std::string& file, const std::string& place,
               const ArchivePut& put);
void print_saves(Context& context, const std::vector<ArchivedSave>& saves);
void print_sharing(Context& context, const ArchiveSharing& sharing);
void print_fault(Context& context, const ArchiveFault& fault);
/// The faults of Archive::list: one without saves is damage of the list.
void print_list_faults(Context& context, const std::vector<ArchiveFault>& faults);

}  // namespace hdb::inspect
