import type { HeadContext, Input } from '../../../../core/qbft/input.ts'
import type { RestartRecord } from '../../../../core/qbft/restart/restartRecord.ts'
import { decodeRestartRecord, encodeRestartRecord } from '../../../../core/qbft/restart/restartRecordCodec.ts'
import type { Key } from '../../chain/support/keys.ts'
import { createNode, headOf, type Node, WAIT } from './node.ts'
import type { Step } from './step.ts'
import type { Witness } from './witness.ts'

/** A validator that can be killed after any effect, and restarts with its durable record. */
export type Mortal = {
  readonly node: Node
  /** Processes the input. With a number of effects, it is killed after them. */
  live(input: Input, effects?: number): Step
  /** Restarts it at this head. */
  restart(head?: Partial<HeadContext>): Step
}

/** The test decides when blocks are verified and built. */
export const createMortal = (keys: readonly Key[], own: Key, witness: Witness): Mortal => {
  let durable: RestartRecord | undefined
  const begin = (): Node => createNode({ keys, own, record: durable, verify: () => WAIT, build: () => WAIT })
  let node = begin()

  const live = (input: Input, effects?: number): Step => {
    const performed = node.step(input).slice(0, effects)
    for (const effect of performed) {
      if (effect.kind === 'record') durable = decodeRestartRecord(encodeRestartRecord(effect.record))
      witness.see(effect, durable)
    }
    return performed
  }

  return {
    get node() {
      return node
    },
    live,
    restart: head => {
      node = begin()
      return live({ kind: 'head', head: headOf(keys, head) })
    },
  }
}
