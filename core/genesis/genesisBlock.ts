import { type Hash, ZERO_HASH } from '../bytes/bytes.ts'
import { fromHex, toBareHex } from '../bytes/hex.ts'
import type { Block } from '../block/block.ts'
import { BLOOM_BYTES } from '../block/codec/bloom.ts'
import { EMPTY_CODE_HASH, EMPTY_LIST_HASH, EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { keccak256 } from '../crypto/crypto.ts'
import type { AccountChange, StateChanges } from '../state/account.ts'
import { forkIsAtLeast } from './fork.ts'
import type { Genesis } from './genesis.ts'
import { rulesAt } from './forkSchedule.ts'

/** EIP-1559: the first base fee, 1 gwei, unless the genesis file has another value. */
export const INITIAL_BASE_FEE_PER_GAS = 1_000_000_000n

/** EIP-7685: the requestsHash of a block without requests, the SHA-256 of no bytes. */
export const EMPTY_REQUESTS_HASH: Hash = fromHex(
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
)

/** As in Besu: the value of the file, otherwise the initial base fee if `londonBlock` is 0, otherwise undefined. */
const genesisBaseFee = ({ configuration, header }: Genesis): bigint | undefined => {
  if (header.baseFeePerGas !== undefined) return header.baseFeePerGas
  const london = configuration.forks.find(step => step.fork === 'london')
  return london?.at.kind === 'block' && london.at.number === 0n ? INITIAL_BASE_FEE_PER_GAS : undefined
}

/** The alloc as changes to an empty state, without storage roots. */
export const genesisChanges = (genesis: Pick<Genesis, 'alloc'>): StateChanges => {
  const codes = new Map<string, { readonly codeHash: Hash; readonly code: Uint8Array }>()
  const accounts = genesis.alloc.map((account): AccountChange => {
    const { address, nonce, balance, code } = account
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    if (code.length > 0) codes.set(toBareHex(codeHash), { codeHash, code })
    return {
      address,
      before: undefined,
      after: { nonce, balance, codeHash, storageRoot: EMPTY_TRIE_ROOT, incarnation: 0n },
      slots: account.storage.map(([slot, after]) => ({ slot, before: ZERO_HASH, after })),
    }
  })
  return { accounts, codes: [...codes.values()] }
}

/**
 * Block 0, given the root of `genesisChanges`. It has the fields of the forks that are active at genesis, but without a
 * base fee none of the later fields, because a header ends at the first absent field.
 */
export const genesisBlock = (genesis: Genesis, stateRoot: Hash): Block => {
  const { configuration, header } = genesis
  const { fork } = rulesAt(configuration, 0n, header.timestamp)
  const baseFeePerGas = genesisBaseFee(genesis)
  const has = (since: 'shanghai' | 'cancun' | 'prague'): boolean =>
    baseFeePerGas !== undefined && forkIsAtLeast(fork, since)
  return {
    header: {
      parentHash: header.parentHash,
      ommersHash: EMPTY_LIST_HASH,
      coinbase: header.coinbase,
      stateRoot,
      transactionsRoot: EMPTY_TRIE_ROOT,
      receiptsRoot: EMPTY_TRIE_ROOT,
      logsBloom: new Uint8Array(BLOOM_BYTES),
      difficulty: header.difficulty,
      number: 0n,
      gasLimit: header.gasLimit,
      gasUsed: 0n,
      timestamp: header.timestamp,
      extraData: header.extraData,
      mixHash: header.mixHash,
      nonce: header.nonce,
      baseFeePerGas,
      withdrawalsRoot: has('shanghai') ? EMPTY_TRIE_ROOT : undefined,
      blobGasUsed: has('cancun') ? header.blobGasUsed : undefined,
      excessBlobGas: has('cancun') ? header.excessBlobGas : undefined,
      parentBeaconBlockRoot: has('cancun') ? header.parentBeaconBlockRoot : undefined,
      requestsHash: has('prague') ? EMPTY_REQUESTS_HASH : undefined,
    },
    transactions: [],
    ommers: [],
    withdrawals: forkIsAtLeast(fork, 'shanghai') ? [] : undefined,
  }
}
