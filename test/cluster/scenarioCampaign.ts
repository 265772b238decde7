import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs the scenarios that cluster.test.ts leaves out, one after the other, because they take long or a busy machine changes
 * their results. Ends with 1 if one fails. By hand: `bun test/cluster/scenarioCampaign.ts [NAME…]`.
 */
const SCENARIOS = join(import.meta.dir, 'scenarios')
const suite = readFileSync(join(import.meta.dir, 'cluster.test.ts'), 'utf8')
const leftOut = readdirSync(SCENARIOS).filter(file => !suite.includes(`./scenarios/${file}`))

const names = process.argv.slice(2)
const files = names.length === 0 ? leftOut : names.map(name => `${name}.ts`)

let failures = 0
for (const file of files) {
  const scenario = Bun.spawnSync(
    [process.execPath, 'test', '--timeout=240000', `./test/cluster/scenarios/${file}`],
    { cwd: join(import.meta.dir, '../..'), stdout: 'inherit', stderr: 'inherit' },
  )
  if (scenario.exitCode !== 0) failures++
}
console.log(`${files.length - failures} scenarios passed, ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)
