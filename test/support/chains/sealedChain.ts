import { plainHeader } from './plainHeader.ts'
import { type Address, compareBytes, ZERO_ADDRESS, ZERO_HASH } from '../../../core/bytes/bytes.ts'
import { qbftBlockHash, qbftSealHash } from '../../../core/block/codec/blockHash.ts'
import { encodeExtraData, type Vote } from '../../../core/block/codec/extraData.ts'
import { sealOfSignature } from '../../../core/block/codec/seal.ts'
import type { Header } from '../../../core/block/header.ts'
import { addressOfPrivateKey, sign } from '../../../core/crypto/crypto.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { developmentGenesis } from '../../../core/genesis/development/development.ts'

/** Validators by their number. */
const keyOf = (index: number): Uint8Array => new Uint8Array(32).fill(index + 1)
export const addressOf = (index: number): Address => addressOfPrivateKey(keyOf(index))
export const byAddress = (indexes: readonly number[]): number[] =>
  [...indexes].sort((a, b) => compareBytes(addressOf(a), addressOf(b)))

const EPOCH = 20n

const genesis = parseGenesisText(
  JSON.stringify({
    ...developmentGenesis({ validator: addressOf(0) }),
    config: { chainId: 7, berlinBlock: 0, qbft: { blockperiodseconds: 1, epochlength: Number(EPOCH) } },
  }),
)
export const { consensus } = genesis.configuration

type Step = {
  /** Who governs the block. */
  readonly validators: readonly number[]
  readonly proposer: number
  readonly vote?: Vote
  /** Who seals it; all of them when left out. */
  readonly sealers?: readonly number[]
}

export const headerOn = (
  parent: Header | undefined,
  { validators, proposer, vote, sealers }: Step,
): Header => {
  const set = byAddress(validators)
  const extra = (seals: readonly Uint8Array[]): Uint8Array =>
    encodeExtraData({ vanity: new Uint8Array(32), validators: set.map(addressOf), vote, round: 0, seals })
  const header = plainHeader({
    parentHash: parent === undefined ? ZERO_HASH : qbftBlockHash(parent),
    coinbase: parent === undefined ? ZERO_ADDRESS : addressOf(proposer),
    number: parent === undefined ? 0n : parent.number + 1n,
    extraData: extra([]),
  })
  if (parent === undefined) return header
  const digest = qbftSealHash(header)
  const seals = (sealers ?? set).map(index => sealOfSignature(sign(digest, keyOf(index))))
  return { ...header, extraData: extra(seals) }
}

/** A chain whose validators vote: 0 to 3 add 4 in blocks 5 to 7, then drop 0 in blocks 25 to 27. */
export const sealedChain = (length: number): Header[] => {
  const headers = [headerOn(undefined, { validators: [0, 1, 2, 3], proposer: 0 })]
  for (let number = 1; number < length; number++) {
    const set = number < 8 ? [0, 1, 2, 3] : number < 28 ? [0, 1, 2, 3, 4] : [1, 2, 3, 4]
    const proposer = set[number % set.length] as number
    const vote: Vote | undefined =
      number >= 5 && number < 8
        ? { recipient: addressOf(4), type: 'add' }
        : number >= 25 && number < 28
          ? { recipient: addressOf(0), type: 'drop' }
          : undefined
    headers.push(
      headerOn(headers.at(-1), { validators: set, proposer, ...(vote === undefined ? {} : { vote }) }),
    )
  }
  return headers
}
