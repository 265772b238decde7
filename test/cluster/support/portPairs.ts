import { freePorts, takenPorts } from '../../../runtime/devnet/ports.ts'

/** Free ports whose next one is free, too: for nodes of which each listens on two. */
export const freePortPairs = async (count: number): Promise<readonly number[]> => {
  const pairs = new Set<number>()
  while (pairs.size < count) {
    const [port = 0] = await freePorts(1)
    const isApart = [...pairs].every(other => Math.abs(other - port) > 1)
    if (isApart && (await takenPorts([port + 1])).length === 0) pairs.add(port)
  }
  return [...pairs]
}
