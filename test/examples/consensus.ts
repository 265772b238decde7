// Four validators agree on a block: the consensus alone, without a network, a clock or a disk.
import {
  type Address,
  addressOfPrivateKey,
  type Block,
  decodeExtraData,
  EMPTY_LIST_HASH,
  EMPTY_TRIE_ROOT,
  encodeExtraData,
  fromHex,
  QBFT_MIX_HASH,
  sealOfSignature,
  sign,
  toHex,
  ZERO_HASH,
} from 'quorate/block'
import {
  type Effect,
  type HeadContext,
  initialState,
  type Input,
  type QbftState,
  transition,
} from 'quorate/qbft'

const keys = ['11', '22', '33', '44'].map(byte => fromHex(`0x${byte.repeat(32)}`))
const validators = keys.map(addressOfPrivateKey).sort((a, b) => (toHex(a) < toHex(b) ? -1 : 1))

const head: HeadContext = {
  number: 0n,
  hash: ZERO_HASH,
  timestamp: 0n,
  coinbase: validators[3] as Address,
  validators,
  readyAtMs: 1_000,
  emptyAtMs: -Infinity,
  periodMs: 1_000,
  spacingSeconds: 1,
  active: true,
}

/** An empty block; in a node the chain builds it from the transactions that wait. */
const buildBlock = (coinbase: Address, number: bigint, timestamp: bigint, round: number): Block => ({
  header: {
    parentHash: head.hash,
    ommersHash: EMPTY_LIST_HASH,
    coinbase,
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 1n,
    number,
    gasLimit: 30_000_000n,
    gasUsed: 0n,
    timestamp,
    extraData: encodeExtraData({ vanity: new Uint8Array(32), validators, vote: undefined, round, seals: [] }),
    mixHash: QBFT_MIX_HASH,
    nonce: new Uint8Array(8),
    baseFeePerGas: 7n,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  },
  transactions: [],
  ommers: [],
  withdrawals: undefined,
})

type Validator = { readonly address: Address; readonly key: Uint8Array; state: QbftState }

const network: readonly Validator[] = keys.map(key => ({
  key,
  address: addressOfPrivateKey(key),
  state: initialState(undefined),
}))

type Event = { readonly to: Address; readonly input: Input; readonly atMs: number }

const events: Event[] = network.map(({ address }) => ({
  to: address,
  input: { kind: 'head', head },
  atMs: 0,
}))

/** What a node would do: here time and the network are the list of events. */
const perform = (from: Validator, effect: Effect, nowMs: number): void => {
  const answer = (input: Input, atMs = nowMs): void => void events.push({ to: from.address, input, atMs })
  switch (effect.kind) {
    case 'broadcast':
      for (const to of effect.to)
        events.push({
          to,
          input: { kind: 'message', message: effect.message, peer: from.address },
          atMs: nowMs,
        })
      break
    case 'start-timer':
      answer({ kind: 'timer', timer: effect.timer, transactionsWaiting: false }, effect.atMs)
      break
    case 'build-block': {
      const { sequence, round, timestamp } = effect
      const block = buildBlock(from.address, sequence, timestamp, round)
      answer({ kind: 'block-built', sequence, round, block })
      break
    }
    case 'verify-block':
      answer({ kind: 'block-verified', hash: effect.hash, invalid: undefined })
      break
    case 'import-block': {
      const { number, extraData } = effect.block.header
      const { seals } = decodeExtraData(extraData)
      console.log(
        `${toHex(from.address)} imports block ${number} with ${seals.length} seals: ${toHex(effect.hash)}`,
      )
      imported.add(from)
      break
    }
    default:
  }
}

const imported = new Set<Validator>()

while (imported.size < network.length) {
  events.sort((a, b) => a.atMs - b.atMs)
  const event = events.shift()
  if (event === undefined) throw new Error('nothing is left to happen')
  const validator = network.find(({ address }) => toHex(address) === toHex(event.to)) as Validator
  const environment = {
    address: validator.address,
    sign: (digest: Uint8Array) => sealOfSignature(sign(digest, validator.key)),
    dialect: 'legacy',
    requestTimeoutMs: 4_000,
    requestTimeoutMaxMs: 60_000,
    earlyRoundChange: true,
    proposesRoundZero: false,
    duplicateMessagesMax: 100,
    futureMessagesMax: 1_000,
    futureDistanceMax: 10,
  } as const
  const { state, effects } = transition(environment, validator.state, event.input, event.atMs)
  validator.state = state
  for (const effect of effects) perform(validator, effect, event.atMs)
}
