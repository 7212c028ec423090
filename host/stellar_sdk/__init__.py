"""Host library and command-line tools: ``capture`` (pcap files), ``analyzer``.  No driver yet."""
