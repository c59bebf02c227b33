// A wrapper of an earlier release: it does not tell the engine's text.

extern "C" unsigned GeApiWrapper_GEInitialize(char **, char **, int) { return 0xFFFFFFFF; }
