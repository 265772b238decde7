import process from 'node:process'
import { parseArgs } from 'node:util'
import type { OtherClient } from './genesis.ts'

const USAGE = `usage: [BESU=<executable>] [GETH_QUORUM=<executable>] bun test/devp2p/live.ts [options]
  --client=besu|goquorum   whose network is joined [the one whose executable is given]
  --theirs=N,N...          validators of that client in each run [3,2,1]; the others of four are this node's
  --replace                after these runs, one of four of theirs that are replaced one by one, and back
  --blocks=N               blocks of each run [1000]
  --period=SECONDS         block period [1]
  --keep                   keep the folders with the logs`

export type Options = {
  readonly client: OtherClient
  readonly theirs: readonly number[]
  readonly replace: boolean
  readonly blocks: number
  readonly period: number
  readonly keep: boolean
}

/** Reads the command line; prints how to use it and ends where no executable is given. */
export const readOptions = (): Options => {
  const { values } = parseArgs({
    options: {
      client: { type: 'string' },
      theirs: { type: 'string', default: '3,2,1' },
      replace: { type: 'boolean', default: false },
      blocks: { type: 'string', default: '1000' },
      period: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const found = process.env['BESU'] === undefined ? 'goquorum' : 'besu'
  const client = values.client ?? found
  const isGiven = process.env[client === 'besu' ? 'BESU' : 'GETH_QUORUM'] !== undefined
  if (values.help || !isGiven || (client !== 'besu' && client !== 'goquorum')) {
    console.log(USAGE)
    process.exit(values.help ? 0 : 2)
  }
  return {
    client,
    theirs: values.theirs.split(',').filter(Boolean).map(Number),
    replace: values.replace,
    blocks: Number(values.blocks),
    period: Number(values.period),
    keep: values.keep,
  }
}
