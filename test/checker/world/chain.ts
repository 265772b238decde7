/** A chain is the names of its blocks, joined by '>'; '' is the genesis block alone. */
export type Chain = string

export const lengthOf = (chain: Chain): number => (chain === '' ? 0 : chain.split('>').length)

/** The chain without its last blocks. */
export const beginningOf = (chain: Chain, length: number): Chain =>
  chain.split('>').slice(0, length).join('>')

/** The name of the last block. */
export const lastOf = (chain: Chain): string => chain.split('>').at(-1) as string

/** The chain that ends in the block of a digest's name. */
export const chainOfDigest = (digestName: string): Chain => digestName.split('@')[0] as string
