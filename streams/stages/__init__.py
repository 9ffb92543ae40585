"""What is done to a pack, in the order of the flow: normalize, split, fingerprint, detect, verdict.

Pure functions: packs in, packs out; no bus, no disk, no clock.
"""
