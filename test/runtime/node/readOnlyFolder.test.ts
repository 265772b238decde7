import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

/** Mounting one needs rights that not every machine gives. */
const disk = createSmallDisk(1)

test.skipIf(disk === undefined)(
  'given a data path on a read-only file system, then the node names it and says what to do',
  async () => {
    const path = disk?.path ?? ''
    try {
      expect(spawnSync('mount', ['-o', 'remount,ro', path]).status).toBe(0)
      const { code, out, error } = await runCommand([`--data-path=${path}`])
      expect(code).not.toBe(0)
      expect(out + error).toContain(
        `Cannot use the data path ${path}: it is on a read-only file system. Give a folder that this node may write to with --data-path.`,
      )
    } finally {
      disk?.remove()
    }
  },
)
