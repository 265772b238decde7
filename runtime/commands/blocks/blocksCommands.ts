import { type Command, defineCommand } from '../../cli/command.ts'
import { bigintOption, pathOption } from '../../cli/option.ts'
import { CHAIN_OPTIONS, GROUP } from '../sharedOptions.ts'

const RANGE_OPTIONS = {
  startBlock: bigintOption({
    name: 'start-block',
    group: GROUP,
    fallback: undefined,
    placeholder: '<BLOCK>',
    description: 'First block; without it the genesis block',
  }),
  endBlock: bigintOption({
    name: 'end-block',
    group: GROUP,
    fallback: undefined,
    placeholder: '<BLOCK>',
    description: 'Block after the last one; without it the end of the chain',
  }),
}

export type BlocksImportOptions = typeof IMPORT_OPTIONS
const IMPORT_OPTIONS = {
  ...CHAIN_OPTIONS,
  ...RANGE_OPTIONS,
  from: pathOption({
    name: 'from',
    group: GROUP,
    fallback: undefined,
    description: 'File of concatenated block RLP',
  }),
}

export type BlocksExportOptions = typeof EXPORT_OPTIONS
const EXPORT_OPTIONS = {
  ...CHAIN_OPTIONS,
  ...RANGE_OPTIONS,
  to: pathOption({ name: 'to', group: GROUP, fallback: undefined, description: 'File to write' }),
}

export const BLOCKS_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'blocks import',
    summary: 'Import blocks from files, with full validation and execution',
    arguments: '[FILE...]',
    options: IMPORT_OPTIONS,
    examples: ['--genesis-file=genesis.json --from=chain.rlp'],
    load: async () => (await import('./blocksImport.ts')).importBlocks,
  }),
  defineCommand({
    name: 'blocks export',
    summary: 'Write blocks to a file as concatenated RLP',
    arguments: '',
    options: EXPORT_OPTIONS,
    examples: ['--to=chain.rlp --start-block=1 --end-block=1000'],
    load: async () => (await import('./blocksExport.ts')).exportBlocks,
  }),
]
