/* What the C programs of the tests check with. */
#ifndef HDB_TESTS_C_CHECK_H
#define HDB_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hdb/c.h"

/* Ends the program unless the condition holds. */
#define CHECK(condition)                                                        \
  do {                                                                          \
    ++checks;                                                                   \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

/* Ends the program unless a call that reports to `error` returned HDB_OK. */
#define OK(call)                                                                               \
  do {                                                                                         \
    const hdb_status status_ = (call);                                                         \
    ++checks;                                                                                  \
    if (status_ != HDB_OK) {                                                                   \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hdb_error_message(error)); \
      exit(1);                                                                                 \
    }                                                                                          \
    CHECK(error == NULL);                                                                      \
  } while (0)

/* Ends the program unless the call failed with this status and made an error object that says so. */
#define FAILS(wanted, call)                                                                 \
  do {                                                                                      \
    const hdb_status status_ = (call);                                                      \
    ++checks;                                                                               \
    if (status_ != (hdb_status)(wanted)) {                                                  \
      fprintf(stderr, "%s:%d: %s: %s instead of %s: %s\n", __FILE__, __LINE__, #call,       \
              hdb_status_name(status_), hdb_status_name(wanted), hdb_error_message(error)); \
      exit(1);                                                                              \
    }                                                                                       \
    CHECK(error != NULL && hdb_error_status(error) == status_);                             \
    CHECK(hdb_error_message(error)[0] != '\0');                                             \
    hdb_error_free(error);                                                                  \
    error = NULL;                                                                           \
  } while (0)

extern int checks;
extern hdb_error* error;

/* The state hash of a database, captured now. */
hdb_hash state_hash(hdb_database* database);
int equal(hdb_hash a, hdb_hash b);

/* The parts of the program. */
void test_structs(const char* folder);
void test_rows(const char* folder);
void test_components_and_names(void);
void test_fixtures(const char* folder, int count, char** files);
void test_background(const char* folder);
void test_histories(void);
void test_imports(const char* folder);
void test_columns(void);
void test_blobs(const char* folder);
void test_resources(void);
void test_garbage(const char* folder, const char* fixture);
void test_hostile_files(const char* fixture);

#endif
