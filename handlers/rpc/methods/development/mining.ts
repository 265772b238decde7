import { isObject } from '../../../../core/json.ts'
import { toQuantity } from '../../../../core/bytes/hex.ts'
import type { DevelopmentClock } from '../../development/development.ts'
import { developmentOf } from '../../development/signing.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import { INTERVAL_SECONDS_MAX, MINED_BLOCKS_MAX } from '../../parameters/limits.ts'
import { flagOf, given, decimalOrHexOf, required } from '../../parameters/values.ts'
import { type Call, developmentMethod, type Method, type Params } from '../../method.ts'

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

const mineMany = async ({ params }: Call, context: RpcContext): Promise<boolean> => {
  const count = blocksOf(given(params, 0))
  const interval =
    given(params, 1) === undefined ? undefined : integerAt(params, 1, BigInt(INTERVAL_SECONDS_MAX))
  await developmentOf(context).miner.mine(count, interval)
  return true
}

const MS_PER_SECOND = 1000

/** Blocks and time of a development chain, as in anvil and Hardhat. */
export const DEV_MINING_METHODS: readonly Method[] = [
  ...developmentMethod(['evm_mine'], {
    summary: 'Produces a block immediately, with the transactions of the pool',
    params: { 'timestamp?': 'MineRequest' },
    result: 'Quantity',
    handle: mineOne,
  }),
  ...developmentMethod(['anvil_mine', 'hardhat_mine'], {
    summary: 'Produces several blocks immediately',
    params: { 'blocks?': 'MinedBlocks', 'intervalSeconds?': 'IntervalSeconds' },
    result: 'Boolean',
    handle: mineMany,
  }),
  ...developmentMethod(['evm_setAutomine', 'anvil_setAutomine'], {
    summary: 'Enables or disables a block for each transaction',
    params: { isOn: 'Flag' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const isOn = required(flagOf(given(params, 0)), 'INVALID_PARAMS')
      developmentOf(context).miner.setMode({ kind: isOn ? 'automatic' : 'manual' })
      return true
    },
  }),
  ...developmentMethod(['anvil_getAutomine', 'hardhat_getAutomine'], {
    summary: 'Returns whether each transaction gets a block',
    params: {},
    result: 'Boolean',
    handle: (_, context) => developmentOf(context).miner.mode().kind === 'automatic',
  }),
  ...developmentMethod(['evm_setIntervalMining', 'anvil_setIntervalMining'], {
    summary: 'Produces a block at an interval in seconds, even without transactions; 0 disables it',
    params: { seconds: 'IntervalSeconds' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const ms = Number(integerAt(params, 0, BigInt(INTERVAL_SECONDS_MAX))) * MS_PER_SECOND
      const { miner } = developmentOf(context)
      if (ms > 0) miner.setMode({ kind: 'interval', ms })
      // Ends an interval, and leaves automatic blocks as they are.
      else if (miner.mode().kind === 'interval') miner.setMode({ kind: 'manual' })
      return true
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
    summary: 'Adds seconds to the time of later blocks; returns the sum of all additions',
    params: { seconds: 'Integer' },
    result: 'Number',
    handle: ({ params }, context) => {
      const seconds = integerAt(params, 0)
      return Number(developmentOf(context).clock.increase(seconds))
    },
  }),
  ...developmentMethod(['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'], {
    summary: 'Sets the timestamp of the next block; later ones continue from it',
    params: { timestamp: 'Integer' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const timestamp = integerAt(params, 0)
      requireNext(developmentOf(context).clock, timestamp)
      return true
    },
  }),
  ...developmentMethod(['evm_setTime', 'anvil_setTime'], {
    summary: 'Sets the time of later blocks',
    params: { timestamp: 'Integer' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const timestamp = integerAt(params, 0)
      developmentOf(context).clock.setTime(timestamp)
      return true
    },
  }),
  ...developmentMethod(['anvil_setBlockTimestampInterval'], {
    summary: 'Sets the seconds between the timestamps of two blocks',
    params: { seconds: 'Integer' },
    result: 'Boolean',
    handle: ({ params }, context) => {
      const seconds = integerAt(params, 0)
      developmentOf(context).clock.setInterval(seconds)
      return true
    },
  }),
  ...developmentMethod(['anvil_removeBlockTimestampInterval'], {
    summary: 'Lets timestamps follow the clock again',
    params: {},
    result: 'Boolean',
    handle: (_, context) => {
      developmentOf(context).clock.setInterval(undefined)
      return true
    },
  }),
]
