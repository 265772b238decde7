import { statfsSync } from 'node:fs'

/** Below both a disk is as good as full: the next large block may not fit. */
export const FREE_BYTES_MIN = 64 * 1024 ** 2
const FREE_PERCENT_MIN = 2

/** The sentence about the disk of the data path where it is nearly full. */
export const fullDisks = (dataPath: string): readonly string[] => {
  const { bavail, bsize, blocks } = statfsSync(dataPath)
  const free = bavail * bsize
  const percent = blocks === 0 ? 100 : (bavail * 100) / blocks
  if (free >= FREE_BYTES_MIN || percent >= FREE_PERCENT_MIN) return []
  return [`the disk of ${dataPath} is nearly full: ${(free / 1024 ** 2).toFixed(0)} MiB are free`]
}
