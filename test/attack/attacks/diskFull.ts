import { cpSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createSmallDisk } from '../../support/programs/smallDisk.ts'
import { until, untilBlocks } from '../../cluster/support/waiting.ts'
import type { Attack } from '../attack.ts'

const VICTIM = 4
const DISK_MB = 64
const FULL_MS = 20_000
/** A healthy node fails for a turn of the proposer only; the store of one with a full disk is tried every three seconds. */
const ERRORS_MAX = 2

export const diskFull: Attack = {
  name: 'disk-full',
  what: 'Fills the disk of one of four validators for twenty seconds.',
  // A validator that cannot write proposes nothing: each of its turns costs the round of four seconds.
  // What it is sent counts from its own head, which stands still.
  limits: { blockGapMs: 12_000, transferBlocks: 40 },
  run: async ({ cluster, folder, say }) => {
    const disk = createSmallDisk(DISK_MB)
    if (disk === undefined) {
      say('left out: this user may not mount a file system')
      return []
    }
    try {
      await cluster.stop(VICTIM)
      const dataPath = join(folder, `node${VICTIM}`)
      cpSync(dataPath, disk.path, { recursive: true })
      rmSync(dataPath, { recursive: true })
      symlinkSync(disk.path, dataPath)
      await cluster.start(VICTIM)
      await untilBlocks(cluster, 2)
      const victim = cluster.node(VICTIM)
      const isUp = async (): Promise<boolean> => (await fetch(`${victim.url}/liveness`)).ok

      disk.fill()
      await until('DOWN on the validator with a full disk', async () => !(await isUp()))
      say('the validator says that it is DOWN')
      await Bun.sleep(FULL_MS)
      disk.makeRoom()
      await until('UP once there is room', isUp)
      await untilBlocks(cluster, 4)
      const errors = victim
        .output()
        .split('\n')
        .filter(line => line.includes('| ERROR |')).length
      say(`it goes on by itself, with ${errors} lines of errors`)
      await cluster.kill(VICTIM)
      rmSync(dataPath)
      return errors > ERRORS_MAX ? [`${errors} lines of errors for one full disk`] : []
    } finally {
      disk.remove()
    }
  },
}
