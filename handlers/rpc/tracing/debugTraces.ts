import { toHex } from '../../../core/bytes/hex.ts'
import { blockHash } from '../../../core/block/codec/blockHash.ts'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { DecodeError } from '../../../core/block/codec/error.ts'
import type { Address } from '../../../core/bytes/bytes.ts'
import { InvalidTransaction } from '../../../core/evm/transaction/result.ts'
import { RlpError } from '../../../core/rlp/rlp.ts'
import { recordOf } from '../blocks/blockWithReceipts.ts'
import type { RpcContext } from '../context.ts'
import { RpcError } from '../errors.ts'
import { createJsonArray, jsonOf } from '../json/jsonPieces.ts'
import type { Call } from '../method.ts'
import {
  type BlockSelector,
  LATEST,
  readSelector,
  requireNumberSelector,
  settled,
} from '../parameters/block.ts'
import { bytesOf, given, hashOf, required } from '../parameters/values.ts'
import { simulationBlock } from '../simulation/block.ts'
import { readBlockOverrides, underBlockOverrides } from '../simulation/blockOverrides.ts'
import { readCall } from '../simulation/callParameters.ts'
import { readStateOverrides } from '../simulation/stateOverrides.ts'
import { budgetOf } from './budget.ts'
import { readTraceOptions, tracerOf } from './options.ts'
import { type ReplayedBlock, replayBlock } from './replay.ts'
import { openSession } from './session.ts'
import type { TracerKind } from './traced.ts'
import { traceCallIn } from './tracedCall.ts'
import { findMined } from '../blocks/mined.ts'

const requireTraceable = (number: bigint): void => {
  if (number === 0n) throw new RpcError('GENESIS_NOT_TRACEABLE')
}

/** A trace for each transaction of the block, with its hash. */
const traceBlock = async (
  call: Call,
  context: RpcContext,
  replayed: ReplayedBlock,
  kind: TracerKind,
): Promise<unknown> => {
  requireTraceable(replayed.block.header.number)
  const traces = createJsonArray(context.keep)
  await replayBlock(context, replayed, kind, budgetOf(call, context), undefined, (result, { hash }) =>
    traces.add(`{"txHash":"${toHex(hash)}","result":`, ...jsonOf(result), '}'),
  )
  return traces.finish()
}

const readKind = (call: Call, { options }: RpcContext): TracerKind =>
  tracerOf(readTraceOptions(given(call.params, 1)), options.traceStepsMax)

const traceSelected = async (call: Call, context: RpcContext, selector: BlockSelector): Promise<unknown> => {
  const kind = readKind(call, context)
  return traceBlock(call, context, required(await recordOf(context, selector), 'BLOCK_NOT_FOUND'), kind)
}

/** A block from its RLP, whose parent must be on the chain. @throws RpcError */
const blockOfRlp = async (context: RpcContext, value: unknown): Promise<ReplayedBlock> => {
  const bytes = required(bytesOf(value), 'INVALID_BLOCK')
  const { chain } = context
  try {
    const block = decodeBlock(bytes)
    requireTraceable(block.header.number)
    const parent = await chain.store.numberOfHash(block.header.parentHash)
    if (parent === undefined || parent + 1n !== block.header.number)
      throw new RpcError('PARENT_BLOCK_NOT_FOUND')
    const senders = await context.recoverSenders(block.transactions)
    if (senders.includes(undefined)) throw new RpcError('INVALID_SIGNATURE')
    return {
      block,
      hash: blockHash(chain.configuration.consensus, block.header),
      senders: senders as readonly Address[],
    }
  } catch (cause) {
    if (cause instanceof DecodeError || cause instanceof RlpError)
      throw new RpcError('INVALID_BLOCK', { data: cause.message, cause })
    throw cause
  }
}

/** `debug_traceBlock`. @throws RpcError */
export const traceRlp = async (call: Call, context: RpcContext): Promise<unknown> => {
  const kind = readKind(call, context)
  const replayed = await blockOfRlp(context, given(call.params, 0))
  try {
    return await traceBlock(call, context, replayed, kind)
  } catch (cause) {
    if (!(cause instanceof InvalidTransaction)) throw cause
    throw new RpcError('INVALID_BLOCK', { detail: cause.message, cause })
  }
}

/** `debug_traceTransaction`. @throws RpcError */
export const traceTransaction = async (call: Call, context: RpcContext): Promise<unknown> => {
  const hash = required(hashOf(given(call.params, 0)), 'INVALID_TRANSACTION_HASH')
  const kind = readKind(call, context)
  const { record, index } = required(await findMined(context, hash), 'TRANSACTION_NOT_FOUND')
  let traced: unknown
  const take = (trace: unknown): void => {
    traced = trace
  }
  await replayBlock(context, record, kind, budgetOf(call, context), index, take)
  return traced
}

/** `debug_traceCall`. @throws RpcError */
export const traceCall = async (call: Call, context: RpcContext): Promise<unknown> => {
  const message = readCall(given(call.params, 0))
  const selector = settled(readSelector(call.params, 1) ?? LATEST)
  const options = readTraceOptions(given(call.params, 2))
  const kind = tracerOf(options, context.options.traceStepsMax)
  const overrides = readStateOverrides(options['stateOverrides'] ?? undefined)
  const blockOverrides = readBlockOverrides(options['blockOverrides'])
  const found = required(await simulationBlock(context, selector), 'BLOCK_NOT_FOUND')
  const session = await openSession(context, underBlockOverrides(context, found, blockOverrides), overrides)
  return await traceCallIn(context, session, message, kind, budgetOf(call, context))
}

/** `debug_traceBlockByNumber`. @throws RpcError */
export const traceBlockByNumber = (call: Call, context: RpcContext): Promise<unknown> =>
  traceSelected(call, context, requireNumberSelector(call.params, 0, 'INVALID_BLOCK_NUMBER'))

/** `debug_traceBlockByHash`. @throws RpcError */
export const traceBlockByHash = (call: Call, context: RpcContext): Promise<unknown> =>
  traceSelected(call, context, {
    kind: 'hash',
    hash: required(hashOf(given(call.params, 0)), 'INVALID_BLOCK_HASH'),
  })
