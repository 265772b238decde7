import type { BenchNode } from './nodes.ts'

/** The value below which a part of ascending values lies; NaN of none. */
export const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

export const ms = (value: number): string => (Number.isNaN(value) ? '' : value.toFixed(0))

/** What half and 95 of 100 ascending values stay below; empty of none. */
export const spreadText = (sorted: readonly number[]): string =>
  sorted.length === 0 ? '' : `${at(sorted, 0.5).toFixed(2)} / ${at(sorted, 0.95).toFixed(2)}`

/** Of the blocks above `from`, with transactions or without, as their proposers saw it; ascending. */
export const commitTimes = (
  nodes: readonly BenchNode[],
  from: number,
  to: number,
  what: 'empty' | 'filled',
): readonly number[] =>
  nodes
    .flatMap(node => node.blockLines())
    .filter(({ isProduced, number }) => isProduced && number > from && number <= to)
    .filter(({ transactions }) => (transactions === 0) === (what === 'empty'))
    .flatMap(({ proposalToCommitMs }) => proposalToCommitMs ?? [])
    .toSorted((a, b) => a - b)

/** What all nodes together sent for one block. */
export const perBlock = (nodes: readonly BenchNode[], from: number, to: number) => {
  let messages = 0
  let bytes = 0
  for (const node of nodes) {
    const lines = node.blockLines().filter(({ number }) => number > from && number <= to)
    const [first, last] = [lines[0], lines.at(-1)]
    if (first === undefined || last === undefined || first === last) continue
    const blocks = last.number - first.number
    messages += (last.messagesSent - first.messagesSent) / blocks
    bytes += (last.bytesSent - first.bytesSent) / blocks
  }
  return { messages, bytes }
}

/** Periods between each block above `from` and the one before it, as one node committed them; ascending. */
export const blockGaps = (
  node: BenchNode,
  { from, to, periodMs }: { readonly from: number; readonly to: number; readonly periodMs: number },
): readonly number[] => {
  const times = node
    .blockLines()
    .filter(({ number }) => number >= from && number <= to)
    .map(({ atMs }) => atMs)
  return times
    .slice(1)
    .map((atMs, index) => (atMs - (times[index] as number)) / periodMs)
    .toSorted((a, b) => a - b)
}
