// Starts the node on Node from the sources. Plain JavaScript, because Node before 22.18 cannot load TypeScript: it gets the
// sentence of requirements.ts instead of `Unknown file extension ".ts"`.
import process from 'node:process'

const { node } = process.versions
if (Number(node.split('.')[0]) < 24) {
  process.stderr.write(`Quorate needs Node 24 or newer, and this is Node ${node}.\n`)
  process.exit(1)
}
await import('./main.ts')
