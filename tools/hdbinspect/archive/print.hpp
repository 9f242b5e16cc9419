// Prints what archives say about themselves.
#pragma once

#include <vector>

#include "command.hpp"
#include "hdb/archive.hpp"

namespace hdb::inspect {

void print_saves(Context& context, const std::vector<ArchivedSave>& saves);
void print_sharing(Context& context, const ArchiveSharing& sharing);
void print_fault(Context& context, const ArchiveFault& fault);

}  // namespace hdb::inspect
