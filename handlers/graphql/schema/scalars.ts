/** The scalars. Their descriptions are Besu's where Besu has them. */
export const SCALARS = /* GraphQL */ `
"A 20 byte account address, lower-case hexadecimal with 0x."
scalar Address

"""
A large unsigned integer. As input a string is hexadecimal, with or without 0x ("10" is sixteen), and a literal integer
counts as it is. Output is 0x-prefixed hexadecimal.
"""
scalar BigInt

"A binary string of any length, 0x-prefixed hexadecimal; 0x where it is empty."
scalar Bytes

"A 32 byte binary string, 0x-prefixed hexadecimal. Shorter input is padded with zeros in front."
scalar Bytes32

"A 32 byte keccak-256 hash, 0x-prefixed hexadecimal."
scalar Hash

"A topic of a log, 32 bytes, 0x-prefixed hexadecimal."
scalar LogTopic

"A 32 byte versioned hash of a blob, 0x-prefixed hexadecimal."
scalar VersionedHash

"""
A 64 bit integer. Input is an integer, or a string that is 0x-prefixed hexadecimal or decimal. Output is 0x-prefixed
hexadecimal.
"""
scalar Long
`
