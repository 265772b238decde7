import type { Hash } from '../../bytes/bytes.ts'
import { fromHex } from '../../bytes/hex.ts'
import type { Header } from '../header.ts'
import {
  encodeExtraDataWithoutSeals,
  encodeExtraDataWithoutSealsAndRound,
  extraDataOf,
  type QbftExtraData,
} from './extraData.ts'
import { encodeHeader, rawHeaderHash } from './header.ts'

/** The mixHash of every QBFT block: the end of "Istanbul practical byzantine fault tolerance". */
export const QBFT_MIX_HASH: Hash = fromHex('63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365')

type Encode = (extraData: QbftExtraData) => Uint8Array

// The hash of the genesis block covers its unchanged header.
const hashWith = (header: Header, encode: Encode): Hash =>
  header.number === 0n
    ? rawHeaderHash(header)
    : rawHeaderHash({ ...header, extraData: encode(extraDataOf(header)) })

/** Caches the hash by header, because consensus needs the hash of a proposal for each message about it. */
const hashOnce = (encode: Encode): ((header: Header) => Hash) => {
  const known = new WeakMap<Header, Hash>()
  return header => {
    const before = known.get(header)
    if (before !== undefined) return before
    const hash = hashWith(header, encode)
    known.set(header, hash)
    return hash
  }
}

/**
 * The on-chain hash of a QBFT block: with round 0 and without seals, so that it does not depend on which seals a node
 * collected.
 * @throws DecodeError when the extraData is not QBFT's
 */
export const qbftBlockHash = hashOnce(encodeExtraDataWithoutSealsAndRound)

/**
 * The digest of a proposal, which prepares and commits contain and commit seals sign: with the round, without seals.
 * @throws DecodeError when the extraData is not QBFT's
 */
export const qbftSealHash = hashOnce(encodeExtraDataWithoutSeals)

/** The bytes of which `qbftSealHash` is the keccak256 hash, for signers that hash them themselves. */
export const qbftSealPreimage = (header: Header): Uint8Array =>
  encodeHeader({
    ...header,
    extraData: encodeExtraDataWithoutSeals(extraDataOf(header)),
  })

/** The on-chain hash of a block under the chain's consensus. @throws DecodeError */
export const blockHash = (consensus: { readonly kind: 'qbft' | 'ethash' }, header: Header): Hash =>
  consensus.kind === 'qbft' ? qbftBlockHash(header) : rawHeaderHash(header)
