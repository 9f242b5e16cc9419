// Prints what archives say about themselves.
#pragma once

#include <vector>

#include "command.hpp"
#include "hdb/archive.hpp"

namespace hdb::inspect {

void print_saves(Context& context, const std::vector<ArchivedSave>& saves);
void print_sharing(Context& context, const ArchiveSharing& sharing);
void print_fault(Context& context, const ArchiveFault& fault);
/// The faults of Archive::list: one without saves is damage of the list.
void print_list_faults(Context& context, const std::vector<ArchiveFault>& faults);

}  // namespace hdb::inspect
