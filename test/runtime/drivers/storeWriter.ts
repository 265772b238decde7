import { argv, stdout } from 'node:process'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { sampleChain } from '../../support/chains/sampleChain.ts'
import { WRITER_CHAIN, WRITER_OPTIONS } from './storeWriterChain.ts'

/*
 * Run as a process of its own, on any runtime: commits the blocks of the writer's chain that the store does not have yet
 * and prints the number of each when its commit has resolved, until it is killed.
 */
const [, , storage, dataPath] = argv
const store = await openChainStore(await openStorage(storage as string, dataPath as string), WRITER_OPTIONS)
const chain = sampleChain(WRITER_CHAIN)
for (const commit of chain.commits.slice(Number(store.head()?.header.number ?? -1n) + 1)) {
  await store.commit(commit)
  stdout.write(`${commit.block.header.number}\n`)
}
await store.close()
