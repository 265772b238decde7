import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../core/bytes/hex.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'
import { QBFT_MIX_HASH } from '../../core/block/codec/blockHash.ts'
import { addressOfPrivateKey } from '../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'

/** A private key that only tests use; `index` from 1. */
export const testKey = (index: number): Uint8Array => {
  const key = new Uint8Array(32)
  key[31] = index
  return key
}

export const testAddress = (index: number): Uint8Array => addressOfPrivateKey(testKey(index))

type GenesisOptions = {
  /** Indexes of the keys of the validators. */
  readonly validators?: readonly number[]
  /** Entries of `config.qbft`. */
  readonly qbft?: object
  /** Entries of `config`. */
  readonly config?: object
  /** Entries of the file itself. */
  readonly top?: object
}

/** The text of a genesis file in the form Besu's documentation shows, with the development accounts funded. */
export const genesisText = ({
  validators = [1],
  qbft = {},
  config = {},
  top = {},
}: GenesisOptions = {}): string =>
  JSON.stringify({
    config: {
      chainId: 4242,
      berlinBlock: 0,
      londonBlock: 0,
      ...config,
      qbft: { epochlength: 30000, blockperiodseconds: 1, requesttimeoutseconds: 4, ...qbft },
    },
    nonce: '0x0',
    timestamp: '0x58ee40ba',
    gasLimit: '0x1c9c380',
    difficulty: '0x1',
    mixHash: toHex(QBFT_MIX_HASH),
    coinbase: '0x0000000000000000000000000000000000000000',
    extraData: toHex(
      encodeExtraData({
        vanity: new Uint8Array(32),
        validators: validators.map(testAddress),
        vote: undefined,
        round: 0,
        seals: [],
      }),
    ),
    alloc: Object.fromEntries(
      DEVELOPMENT_ACCOUNTS.map(({ address }) => [toHex(address), { balance: '0xad78ebc5ac6200000' }]),
    ),
    ...top,
  })

/** Writes the genesis file and the key of the first validator into the folder; gives the options that name them. */
export const writeNetwork = (folder: string, options: GenesisOptions = {}, key = 1): readonly string[] => {
  const genesis = join(folder, 'network.json')
  const keyFile = join(folder, 'validator.key')
  writeFileSync(genesis, genesisText(options))
  writeFileSync(keyFile, toHex(testKey(key)), { mode: 0o600 })
  return [`--genesis-file=${genesis}`, `--node-private-key-file=${keyFile}`]
}
