import type { Block } from '../../../core/block/block.ts'
import { InvalidBlock } from '../../../core/chain/rules/invalidBlock.ts'
import { spoiledBlock } from '../byzantine/falseBlocks.ts'
import { checkSealed } from '../chain/rules.ts'
import type { World } from '../world.ts'
import type { Node } from './node.ts'

/** Fetches blocks that connected nodes have and this one does not, while it is up. */
export type Sync = { start(): void; stop(): void }

/** How often a node looks whether others are ahead: a block that is on its way comes sooner by consensus. */
const CHECK_INTERVAL_MS = 1_000

const BLOCKS_MAX = 16

/** As in the product: consensus rests when so many blocks are missing, and goes on when all but this many are there. */
const RESTS_BLOCKS = 3n
const LEVEL_BLOCKS = 1n

export const createSync = (world: World, node: Node): Sync => {
  const { scheduler, network, genesis } = world
  const { disk, clock, random } = node
  let generation = 0

  const head = (of: Node): bigint => of.disk.chain.head().header.number
  const ahead = (): readonly Node[] =>
    world
      .nodes()
      .filter(other => other !== node && network.isConnected(node, other) && head(other) > head(node))

  const highest = (): bigint =>
    ahead().reduce((max, other) => (head(other) > max ? head(other) : max), head(node))

  /** What the peer gives; an attacker gives nothing, or blocks that are not what they should be. */
  const ask = (peer: Node): readonly Block[] => {
    if (!peer.isHonest && random.chance(0.3)) return []
    const blocks: Block[] = []
    for (let number = head(node) + 1n; number <= head(peer) && blocks.length < BLOCKS_MAX; number++)
      blocks.push(peer.disk.chain.block(number) as Block)
    return peer.isHonest ? blocks : blocks.map(block => spoiledBlock(block, random))
  }

  const store = (
    blocks: readonly Block[],
    position: number,
    end: () => void,
    isOver: () => boolean,
  ): void => {
    const block = blocks[position]
    const { chain } = disk
    if (block === undefined || block.header.number !== head(node) + 1n) return end()
    try {
      checkSealed(genesis, chain.head(), chain.validators(block.header.number), block, clock.nowMs())
    } catch (error) {
      if (!(error instanceof InvalidBlock)) throw error
      return end()
    }
    disk.putBlock(block, 'now', random.between(...node.conditions().blockSyncMs), () => {
      if (isOver()) return
      const missing = highest() - head(node)
      node.setActive(missing < RESTS_BLOCKS)
      node.tellHead()
      store(blocks, position + 1, end, isOver)
    })
  }

  const look = (isOver: () => boolean): void => {
    if (isOver()) return
    const again = (): void => scheduler.after(CHECK_INTERVAL_MS, () => look(isOver))
    const peers = ahead()
    if (highest() - head(node) <= LEVEL_BLOCKS) node.setActive(true)
    if (peers.length === 0) return again()
    const peer = random.pick(peers)
    scheduler.after(random.between(2, 100), () => {
      if (isOver()) return
      const blocks = network.isConnected(node, peer) ? ask(peer) : []
      // Nobody to catch up with in earnest: consensus goes on.
      if (blocks.length === 0) node.setActive(true)
      // As in the product: whoever is far behind asks for the next ones as soon as it has these.
      store(blocks, 0, blocks.length === BLOCKS_MAX ? () => look(isOver) : again, isOver)
    })
  }

  return {
    start: () => {
      const begun = ++generation
      scheduler.after(random.between(1, CHECK_INTERVAL_MS), () => look(() => begun !== generation))
    },
    stop: () => void generation++,
  }
}
