import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * Runs a node whose clock is set by a file in its data path: `clock` has the milliseconds by which it is ahead (or, negative,
 * behind). It is the clock of the main thread, where consensus is; timers go on as they do when the clock of a machine is set.
 */
const CHECK_INTERVAL_MS = 50

const dataPath = process.argv.find(arg => arg.startsWith('--data-path='))?.slice('--data-path='.length)
if (dataPath === undefined) throw new Error('--data-path is missing')
const file = join(dataPath, 'clock')

const RealDate = Date
const realNow = Date.now
let aheadMs = 0

const look = (): void => {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'))
  } catch {
    // Not there until the attack sets the clock.
    aheadMs = 0
  }
}
look()
setInterval(look, CHECK_INTERVAL_MS).unref()

const now = (): number => realNow() + aheadMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[]): Date =>
    Reflect.construct(target, args.length === 0 ? [now()] : args) as Date,
  get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
})

await import('../../runtime/main.ts')
