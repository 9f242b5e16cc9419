// A source for the precompiled headers of the documents' programs.
#include <hdb/hdb.hpp>
