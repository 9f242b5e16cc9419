hdbinspect explain HDB-E0231 bad_slots 903 && hdbinspect explain E9999 2>&1
