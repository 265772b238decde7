import type { Hash } from '../../../../core/bytes/bytes.ts'
import type { Header } from '../../../../core/block/header.ts'
import { minBigint } from '../../../../core/bytes/integer.ts'
import type { RpcContext } from '../../context.ts'
import { RpcError } from '../../errors.ts'
import type { Call } from '../../method.ts'
import { blockNumberOf, withRequiredSelector } from '../../parameters/block.ts'
import { given, required } from '../../parameters/values.ts'
import { trieAt } from '../../state/trieAt.ts'
import { createBlockHashes } from '../blockHashes.ts'
import { executeSimulated, type SimulatedBlock } from './execute.ts'
import { openBlock } from './header.ts'
import { createOverlay } from './overlay.ts'
import { readSimulation, type SimulationRequest } from './parameters.ts'
import { planBlocks } from './plan.ts'
import { simulatedShape } from './shape.ts'

/** Gas limit of all calls of a simulation; undefined without a limit. */
const gasBudget = ({ options }: RpcContext): bigint | undefined => {
  const { gasCap, simulateGasCap } = options
  if (gasCap === 0n || simulateGasCap === 0n) return maxOf(gasCap, simulateGasCap)
  return minBigint(gasCap, simulateGasCap)
}

const maxOf = (a: bigint, b: bigint): bigint | undefined => (a + b === 0n ? undefined : a + b)

type Base = { readonly header: Header; readonly hash: Hash }

const baseOf = async ({ chain }: RpcContext, number: bigint): Promise<Base> => {
  const head = chain.head()
  if (head.header.number === number) return head
  const [header, child] = await Promise.all([chain.store.header(number), chain.store.header(number + 1n)])
  return { header: required(header, 'BLOCK_NOT_FOUND'), hash: required(child, 'BLOCK_NOT_FOUND').parentHash }
}

/** Executes the blocks one after the other and yields between them. @throws RpcError */
const simulateBlocks = async (
  context: RpcContext,
  base: Base,
  request: SimulationRequest,
  expired: () => boolean,
): Promise<readonly SimulatedBlock[]> => {
  const { chain } = context
  const baseNumber = base.header.number
  const overlay = createOverlay(baseNumber)
  const trie = trieAt(context, baseNumber, expired)
  const yieldTurn = context.scheduler.createYield()
  const done: SimulatedBlock[] = []
  let gasLeft = gasBudget(context)
  let parent = base
  let parentStateRoot = base.header.stateRoot
  for (const block of planBlocks(chain.configuration, base.header, request.blocks)) {
    await yieldTurn()
    if (expired()) throw new RpcError('TIMEOUT')
    const open = openBlock(context, block, parent, request.validation)
    const hashes = createBlockHashes(chain.store, baseNumber, {
      number: baseNumber + 1n,
      parentHash: base.hash,
    })
    const reach = block.number - 256n
    const blockHash = (number: bigint): Hash | undefined => {
      if (number < reach) return undefined
      return number > baseNumber ? done[Number(number - baseNumber) - 1]?.record.hash : hashes.of(number)
    }
    const simulated = await hashes.run(() =>
      trie.read((nodes, root) =>
        executeSimulated(context, {
          ...open,
          block,
          validation: request.validation,
          traceTransfers: request.traceTransfers,
          gasLeft,
          reader: overlay.reader(chain.store.stateAt(baseNumber)),
          nodes: overlay.nodes(nodes),
          parentStateRoot: done.length === 0 ? root : parentStateRoot,
          blockHash,
        }),
      ),
    )
    overlay.add(simulated.update)
    done.push(simulated)
    parentStateRoot = simulated.update.root
    parent = { header: simulated.record.block.header, hash: simulated.record.hash }
    if (gasLeft !== undefined) gasLeft -= parent.header.gasUsed
  }
  return done
}

/**
 * eth_simulateV1 (execution-apis): simulates blocks of calls after a block of the chain, each on the state after the previous
 * one.
 */
export const simulateV1 = async ({ params, expired }: Call, context: RpcContext): Promise<unknown> => {
  const [request, selector] = withRequiredSelector(params, 1, () => readSimulation(given(params, 0)))
  const number = required(await blockNumberOf(context, selector), 'BLOCK_NOT_FOUND')
  const base = await baseOf(context, number)
  const blocks = await simulateBlocks(context, base, request, expired)
  return blocks.map(block => simulatedShape(block, request.fullTransactions))
}
