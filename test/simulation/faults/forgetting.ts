import type { DiskCopy } from '../node/disk.ts'
import type { Node } from '../node/node.ts'
import type { World } from '../world.ts'
import { repeat } from './repeat.ts'

/** Copies that a machine keeps of its disk; the oldest goes first. */
const COPIES_MAX = 6

/** So many effects after the moment: within what one message, or one block, leads to. */
const EFFECTS_MAX = 12

/**
 * Machines stop amid what they sign, and come back without the record of it: it is gone, or the disk is an old copy, or an
 * empty one. No more of them than may be faulty.
 */
export const startForgetting = (world: World): void => {
  const { scheduler, settings, count } = world
  const { forgetting } = settings
  if (forgetting === undefined) return
  const random = world.random.fork('forgetting')

  const forget = (node: Node, copies: DiskCopy[]): void => {
    const signed = node.disk.record()?.sequence
    if (forgetting === 'record') node.disk.loseRecord()
    else if (forgetting === 'wiped') node.disk.restore(undefined)
    else if (copies.length > 0) node.disk.restore(random.pick(copies))
    // What it signed is of a height that nobody may have come to the end of.
    if (signed === world.checker.agreed.height() + 1n) count('signatures forgotten in an open height')
  }

  const start = (node: Node): void => {
    const copies: DiskCopy[] = []
    const takeCopy = (): void => {
      if (node.isUp()) copies.push(node.disk.copy())
      if (copies.length > COPIES_MAX) copies.shift()
    }
    const comeBack = (): void => {
      if (node.isUp()) {
        if (scheduler.nowMs() < settings.faultsMs) scheduler.after(50, comeBack)
        return
      }
      forget(node, copies)
      node.boot()
    }
    if (forgetting === 'copied') repeat(world, () => random.between(20, 800), takeCopy)
    repeat(
      world,
      () => random.between(200, 3_000),
      () => {
        if (random.chance(0.3)) node.crash()
        else node.crashAfter(random.below(EFFECTS_MAX))
        scheduler.after(random.pick([0, 50, 300]) + random.below(100), comeBack)
      },
    )
  }

  for (const node of world.nodes()) if (node.isForgetful) start(node)
}
