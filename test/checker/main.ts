import { parseArgs } from 'node:util'
import { SCOPE_OPTIONS } from './scope.ts'

const HELP = `Explores every behaviour of small networks of validators on core/qbft itself.

bun run check-consensus                  the default plan, within ten minutes on two cores
bun run check-consensus --quick          about a minute
bun run check-consensus --deep=FOLDER    hours; keeps its reports in FOLDER and goes on from them
bun run check-consensus --replay=FILE    replays the story of a violation, as it was printed
bun run check-consensus --byzantine=0    one exploration within these bounds

Bounds, with their defaults:
  --validators=4 --heights=1 --rounds=2 --values=2 --byzantine= (indexes, as 0,1)
  --crashes=0 --victim=1 --records=last|any   restarts of one honest validator, and what it has left
  --commits    deliver commits             --early   deliver votes before their proposal
  --slow       building and verifying take time and may fail
  --odd        invalid blocks, blocks of round 0 in later rounds, far rounds
  --change=none|leaves|joins               the last validator leaves or joins after height 1
With bounds:
  --seed=N      random walks instead of everything     --seconds=60   of CPU
  --progress=N  run every Nth state on in a good network
  --naive       without reductions
  --plant=NAME  with a planted fault; --plant=list names them
  --coverage    names the branches of core/qbft that the exploration did not take
With a plan:
  --processes=2`

const { values } = parseArgs({
  options: {
    ...SCOPE_OPTIONS,
    quick: { type: 'boolean' },
    deep: { type: 'string' },
    replay: { type: 'string' },
    seed: { type: 'string' },
    seconds: { type: 'string' },
    progress: { type: 'string' },
    naive: { type: 'boolean' },
    plant: { type: 'string' },
    coverage: { type: 'boolean' },
    processes: { type: 'string' },
    item: { type: 'string' },
    help: { type: 'boolean' },
  },
})

export type Options = typeof values

if (values.help === true) console.log(HELP)
else {
  // Before core/qbft is loaded, because both change its source.
  const { prepareSource } = await import('./planted/source.ts')
  prepareSource({ plant: values.plant, isCovered: values.coverage === true })
  const { run } = await import('./run/run.ts')
  process.exitCode = await run(values)
}
