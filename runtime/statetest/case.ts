import { CANCUN_BLOBS, PRAGUE_BLOBS } from '../../core/genesis/parse/forks.ts'
import { CODE_SIZE_MAX, EVM_STACK_ITEMS } from '../../core/genesis/evmLimits.ts'
import type { Hash } from '../../core/bytes/bytes.ts'
import { padStartBytes } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import { blobBaseFeeOf } from '../../core/chain/fees/blobFee.ts'
import { DecodeError } from '../../core/block/codec/error.ts'
import type { Log } from '../../core/block/receipt.ts'
import { keccak256 } from '../../core/crypto/crypto.ts'
import type { BlockEnvironment } from '../../core/evm/transaction/environment.ts'
import { executeTransaction } from '../../core/evm/transaction/execute.ts'
import { InvalidTransaction } from '../../core/evm/transaction/result.ts'
import type { Rules } from '../../core/genesis/configuration.ts'
import { type ForkName, forkIsAtLeast } from '../../core/genesis/fork.ts'
import { transactionGasMaxOf } from '../../core/genesis/forkSchedule.ts'
import { encodeRlp } from '../../core/rlp/rlp.ts'
import { createWorldState } from '../../core/state/worldState.ts'
import { updateStateRoot } from '../../core/trie/state/stateRoot.ts'
import { isExpected } from './exceptions.ts'
import { integerOf, type PostJson, senderOfCase, type StateTestJson, transactionOfCase } from './fixture.ts'
import type { MemoryState } from './memoryState.ts'

/** The names that test files have for forks. */
export const TEST_FORKS: ReadonlyMap<string, ForkName> = new Map([
  ['Frontier', 'frontier'],
  ['Homestead', 'homestead'],
  ['EIP150', 'tangerineWhistle'],
  ['EIP158', 'spuriousDragon'],
  ['Byzantium', 'byzantium'],
  ['Constantinople', 'constantinople'],
  ['ConstantinopleFix', 'petersburg'],
  ['Istanbul', 'istanbul'],
  ['Berlin', 'berlin'],
  ['London', 'london'],
  ['Merge', 'paris'],
  ['Paris', 'paris'],
  ['Shanghai', 'shanghai'],
  ['Cancun', 'cancun'],
  ['Prague', 'prague'],
  ['Osaka', 'osaka'],
])

const CHAIN_ID = 1n

const rulesOf = (fork: ForkName): Rules => ({
  fork,
  chainId: CHAIN_ID,
  blob: forkIsAtLeast(fork, 'prague')
    ? PRAGUE_BLOBS
    : forkIsAtLeast(fork, 'cancun')
      ? CANCUN_BLOBS
      : undefined,
  codeSizeMax: CODE_SIZE_MAX,
  stackItemsMax: EVM_STACK_ITEMS,
  transactionGasMax: transactionGasMaxOf(fork),
})

/** State tests have no blocks: the hash of each is that of its decimal number. */
const testBlockHash = (number: bigint): Hash => keccak256(new TextEncoder().encode(number.toString()))

const environmentOf = (fork: ForkName, env: StateTestJson['env']): BlockEnvironment => {
  const rules = rulesOf(fork)
  const value = (name: string): bigint => integerOf(env[name] ?? '0x0')
  return {
    rules,
    number: value('currentNumber'),
    timestamp: value('currentTimestamp'),
    beneficiary: fromHex(env['currentCoinbase'] ?? ''),
    gasLimit: value('currentGasLimit'),
    difficulty: value('currentDifficulty'),
    prevRandao: padStartBytes(fromHex(env['currentRandom'] ?? ''), 32),
    baseFeePerGas: forkIsAtLeast(fork, 'london') ? value('currentBaseFee') : undefined,
    blobBaseFee:
      rules.blob === undefined ? undefined : blobBaseFeeOf(rules.blob, value('currentExcessBlobGas')),
    blockHash: testBlockHash,
  }
}

const logsHash = (logs: readonly Log[]): string =>
  toHex(keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))))

export type CaseResult = {
  readonly stateRoot: string
  /** Undefined when the case passed. */
  readonly failure: string | undefined
}

/** Runs one case on the state its test begins with. */
export const runCase = (
  test: StateTestJson,
  pre: MemoryState,
  forkName: string,
  post: PostJson,
): CaseResult => {
  const fork = TEST_FORKS.get(forkName) as ForkName
  const environment = environmentOf(fork, test.env)
  const world = createWorldState(pre.reader)
  let logs: readonly Log[] = []
  let refused: InvalidTransaction | DecodeError | undefined
  try {
    const transaction = transactionOfCase(test, post, CHAIN_ID)
    logs = executeTransaction(
      environment,
      world,
      { transaction, sender: senderOfCase(test) },
      environment.gasLimit,
    ).logs
  } catch (error) {
    if (!(error instanceof InvalidTransaction) && !(error instanceof DecodeError)) throw error
    refused = error
  }
  // The tests' block has a reward of zero.
  world.addBalance(environment.beneficiary, 0n)
  const { root } = updateStateRoot(pre.nodes, pre.root, world.changes(environment.number))
  const stateRoot = toHex(root)
  const failure = failureOf(post, stateRoot, logsHash(logs), refused)
  return { stateRoot, failure }
}

const failureOf = (
  post: PostJson,
  stateRoot: string,
  logs: string,
  refused: InvalidTransaction | DecodeError | undefined,
): string | undefined => {
  if (post.expectException !== undefined) {
    if (refused === undefined) return `was accepted, expected ${post.expectException}`
    if (!isExpected(post.expectException, refused.code))
      return `was refused for ${refused.code}, expected ${post.expectException}`
  } else if (refused !== undefined) return `was refused: ${refused.code}, ${refused.message}`
  if (stateRoot !== post.hash) return `state root ${stateRoot}, expected ${post.hash}`
  if (logs !== post.logs) return `logs hash ${logs}, expected ${post.logs}`
  return undefined
}
