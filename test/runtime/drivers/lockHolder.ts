import { argv, exit, stdin, stdout } from 'node:process'
import { lockDataPath } from '../../../runtime/drivers/lock.ts'

/*
 * Run as a process of its own, on any runtime: takes the lock of a data path, says so, and keeps it until it is killed, or
 * until the test that started it is gone.
 */
await lockDataPath(argv[2] as string)
// What nobody holds is collected sooner or later; the lock must outlive that, so it happens here at once.
await new Promise(resolve => setTimeout(resolve, 10))
;(globalThis as { readonly Bun?: { gc(synchronous: boolean): void } }).Bun?.gc(true)
await new Promise(resolve => setTimeout(resolve, 10))
stdout.write('locked\n')
stdin.resume().on('end', () => exit(0))
