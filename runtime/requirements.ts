type Version = readonly [major: number, minor: number]

const NODE_MIN: Version = [24, 0]
const BUN_MIN: Version = [1, 4]

const isBelow = (version: string, [major, minor]: Version): boolean => {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number)
  return ownMajor < major || (ownMajor === major && ownMinor < minor)
}

/**
 * One sentence for a runtime that is too old; otherwise undefined. This module imports nothing, because an old runtime may
 * lack what other modules use.
 * @param versions `process.versions`; Bun and Deno name a Node version too
 */
export const unsupportedRuntime = (
  versions: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  const { bun, deno, node } = versions
  if (bun !== undefined)
    return isBelow(bun, BUN_MIN) ? `Quorate needs Bun 1.4 or newer, and this is Bun ${bun}.` : undefined
  if (deno !== undefined || node === undefined || !isBelow(node, NODE_MIN)) return undefined
  return `Quorate needs Node 24 or newer, and this is Node ${node}.`
}
