import { isObject } from '../../../../core/json.ts'
import { toQuantity } from '../../../../core/bytes/hex.ts'
import type { DevelopmentClock } from '../../development/development.ts'
import { developmentOf } from '../../development/signing.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { INTERVAL_SECONDS_MAX, MINED_BLOCKS_MAX } from '../../parameters/limits.ts'
import { flagOf, given, decimalOrHexOf, required } from '../../parameters/values.ts'
import { type Call, developmentMethod, developmentSetter, type Method, type Params } from '../../method.ts'

const integerAt = (params: Params, index: number, most = 2n ** 63n - 1n): bigint => {
  const value = required(decimalOrHexOf(given(params, index), 63), 'INVALID_PARAMS')
  if (value > most) throw new RpcError('INVALID_PARAMS')
  return value
}

const blocksOf = (value: unknown): number =>
  value === undefined || value === null ? 1 : Number(integerAt([value], 0, BigInt(MINED_BLOCKS_MAX)))

const requireNext = (clock: DevelopmentClock, timestamp: bigint): void => {
  if (!clock.setNext(timestamp)) throw new RpcError('TIMESTAMP_TOO_LOW')
}

/** evm_mine: nothing, a timestamp, or an object with `timestamp` and `blocks`. */
const mineOne = async ({ params }: Call, context: RpcContext): Promise<string> => {
  const value = given(params, 0)
  const { timestamp, blocks } = isObject(value) ? value : { timestamp: value, blocks: undefined }
  const count = blocksOf(blocks)
  const next = timestamp === undefined || timestamp === null ? undefined : integerAt([timestamp], 0)
  const { miner, clock } = developmentOf(context)
  if (next !== undefined) requireNext(clock, next)
  await miner.mine(count)
  return toQuantity(0)
}

/** The number of blocks, and what moves the clock before each of them by the interval, if there is one. */
const mineMany = (
  { params }: Call,
  context: RpcContext,
  advance: (seconds: bigint, made: number) => void,
): Promise<void> => {
  const count = blocksOf(given(params, 0))
  const interval =
    given(params, 1) === undefined ? undefined : integerAt(params, 1, BigInt(INTERVAL_SECONDS_MAX))
  const { miner } = developmentOf(context)
  return miner.mine(count, interval === undefined ? undefined : made => advance(interval, made))
}

/** In anvil the clock is moved before each block. */
const mineAsAnvil = (call: Call, context: RpcContext): Promise<void> =>
  mineMany(call, context, seconds => developmentOf(context).clock.increase(seconds))

/** In Hardhat the first block has the time of the clock, and each other one that of its parent and the interval. */
const mineAsHardhat = (call: Call, context: RpcContext): Promise<void> =>
  mineMany(call, context, (seconds, made) => {
    if (made > 0) developmentOf(context).clock.setNext(context.chain.head().header.timestamp + seconds)
  })

/** Values above are milliseconds, as in anvil. */
const SECONDS_MAX = 10n ** 12n

const MS_PER_SECOND = 1000

/** Blocks and time of a development chain, as in anvil and Hardhat. */
export const DEV_MINING_METHODS: readonly Method[] = [
  ...developmentMethod(['evm_mine'], {
    summary: 'Produces a block immediately, with the transactions of the pool',
    params: { 'timestamp?': 'MineRequest' },
    result: 'Quantity',
    handle: mineOne,
  }),
  ...developmentSetter(['anvil_mine'], {
    summary: 'Produces several blocks immediately, each an interval later',
    params: { 'blocks?': 'MinedBlocks', 'intervalSeconds?': 'IntervalSeconds' },
    apply: mineAsAnvil,
  }),
  ...developmentSetter(['hardhat_mine'], {
    summary: 'Produces several blocks immediately, with an interval between them',
    params: { 'blocks?': 'MinedBlocks', 'intervalSeconds?': 'IntervalSeconds' },
    apply: mineAsHardhat,
  }),
  ...developmentSetter(['evm_setAutomine', 'anvil_setAutomine'], {
    summary: 'Enables or disables a block for each transaction',
    params: { isOn: 'Flag' },
    apply: ({ params }, context) => {
      const isOn = required(flagOf(given(params, 0)), 'INVALID_PARAMS')
      developmentOf(context).miner.setMode({ kind: isOn ? 'automatic' : 'manual' })
    },
  }),
  ...developmentMethod(['anvil_getAutomine', 'hardhat_getAutomine'], {
    summary: 'Returns whether each transaction gets a block',
    params: {},
    result: 'Boolean',
    handle: (_, context) => developmentOf(context).miner.mode().kind === 'automatic',
  }),
  ...developmentSetter(['evm_setIntervalMining', 'anvil_setIntervalMining'], {
    summary: 'Produces a block at an interval in seconds, even without transactions; 0 disables it',
    params: { seconds: 'IntervalSeconds' },
    apply: ({ params }, context) => {
      const ms = Number(integerAt(params, 0, BigInt(INTERVAL_SECONDS_MAX))) * MS_PER_SECOND
      const { miner } = developmentOf(context)
      if (ms > 0) miner.setMode({ kind: 'interval', ms })
      // Ends an interval, and leaves automatic blocks as they are.
      else if (miner.mode().kind === 'interval') miner.setMode({ kind: 'manual' })
    },
  }),
  ...developmentMethod(['anvil_getIntervalMining'], {
    summary: 'Returns the block interval in seconds; null without one',
    params: {},
    result: 'Number',
    handle: (_, context) => {
      const mode = developmentOf(context).miner.mode()
      return mode.kind === 'interval' ? mode.ms / MS_PER_SECOND : null
    },
  }),
  ...developmentMethod(['evm_increaseTime', 'anvil_increaseTime'], {
    summary:
      'Adds seconds to the time of later blocks; returns how far it is ahead of the time of the machine',
    params: { seconds: 'Integer' },
    result: 'Number',
    handle: ({ params }, context) => {
      const seconds = integerAt(params, 0)
      return Number(developmentOf(context).clock.increase(seconds))
    },
  }),
  ...developmentSetter(['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'], {
    summary: 'Sets the timestamp of the next block; later ones continue from it',
    params: { timestamp: 'Integer' },
    apply: ({ params }, context) => {
      const timestamp = integerAt(params, 0)
      requireNext(developmentOf(context).clock, timestamp)
    },
  }),
  ...developmentMethod(['evm_setTime', 'anvil_setTime'], {
    summary:
      'Sets the time of later blocks, in seconds or milliseconds; returns how many seconds later it is than before',
    params: { timestamp: 'Integer' },
    result: 'Number',
    handle: ({ params }, context) => {
      const time = integerAt(params, 0)
      const timestamp = time > SECONDS_MAX ? time / BigInt(MS_PER_SECOND) : time
      return Number(developmentOf(context).clock.setTime(timestamp))
    },
  }),
  ...developmentSetter(['anvil_setBlockTimestampInterval'], {
    summary: 'Sets the seconds between the timestamps of two blocks',
    params: { seconds: 'Integer' },
    apply: ({ params }, context) => {
      const seconds = integerAt(params, 0)
      developmentOf(context).clock.setInterval(seconds)
    },
  }),
  ...developmentMethod(['anvil_removeBlockTimestampInterval'], {
    summary: 'Lets timestamps follow the clock again; false if they did',
    params: {},
    result: 'Boolean',
    handle: (_, context) => developmentOf(context).clock.setInterval(undefined),
  }),
]
