// Stands for the sources of a library that a project builds itself.
int vendored() { return 0; }
