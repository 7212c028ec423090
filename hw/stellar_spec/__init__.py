"""The one specification, as plain data: names, widths, numbers, and what they mean.

==============  ================================================================================
module          what it declares
==============  ================================================================================
``fields``      what a field and a header are
``headers``     every header from Ethernet to StellarTP
``codes``       numbers with names: EtherTypes, protocols, flags, verdicts, reasons; limits
``opcodes``     StellarTP's opcodes, flags and ACK codes, and which packets are well formed
``records``     the parser's two records, its settings, and what the MAC tells it
``streams``     the packet stream's payload and rules
``coverage``    what the end-to-end check covers, field by field
``overhead``    header bytes against RoCEv2
``meanings``    a line of prose for each named number
``tables``      Markdown made of all these
``docs``        the command behind ``make docs``, which writes the tables
==============  ================================================================================
"""
