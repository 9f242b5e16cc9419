/* Prints what a save file says about itself, with the installed hdb::c. */
#include <hdb/c.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  hdb_error* error = NULL;
  if (hdb_validate(argv[1], HDB_VALIDATE_DEEP, NULL, &error) != HDB_OK) {
    fprintf(stderr, "%s\n", hdb_error_message(error));
    hdb_error_free(error);
    return 1;
  }
  printf("c_consumer: the file is sound\n");
  return 0;
}
