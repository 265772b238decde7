/**
 * Every method name of Besu. One that is not served is answered `Method not enabled`, an unknown name `Method not found`;
 * clients distinguish the two.
 */
const KNOWN: Readonly<Record<string, string>> = {
  admin: `addPeer changeLogLevel generateLogBloomCache logsRemoveCache logsRepairCache nodeInfo peers removePeer`,
  debug: `accountAt accountRange batchSendRawTransaction getBadBlocks getRawBlock getRawHeader getRawReceipts
    getRawTransaction metrics replayBlock resyncWorldState setHead standardTraceBadBlockToFile
    standardTraceBlockToFile storageRangeAt traceBlock traceBlockByHash traceBlockByNumber traceCall
    traceTransaction`,
  eth: `accounts blobBaseFee blockNumber call chainId coinbase config createAccessList estimateGas feeHistory gasPrice
    getBalance getBlockAccessList getBlockByHash getBlockByNumber getBlockReceipts getBlockTransactionCountByHash
    getBlockTransactionCountByNumber getCode getFilterChanges getFilterLogs getLogs getProof getStorageAt
    getTransactionByBlockHashAndIndex getTransactionByBlockNumberAndIndex getTransactionByHash getTransactionCount
    getTransactionReceipt getUncleByBlockHashAndIndex getUncleByBlockNumberAndIndex getUncleCountByBlockHash
    getUncleCountByBlockNumber maxPriorityFeePerGas mining newBlockFilter newFilter newPendingTransactionFilter
    protocolVersion sendRawTransaction sendTransaction simulateV1 subscribe syncing uninstallFilter unsubscribe`,
  ibft: `discardValidatorVote getPendingVotes getSignerMetrics getValidatorsByBlockHash getValidatorsByBlockNumber
    proposeValidatorVote`,
  miner: `changeTargetGasLimit getExtraData getMinGasPrice getMinPriorityFee setExtraData setMinGasPrice
    setMinPriorityFee start stop`,
  net: `enode listening peerCount services version`,
  perm: `addAccountsToAllowlist addAccountsToWhitelist addNodesToAllowlist addNodesToWhitelist getAccountsAllowlist
    getAccountsWhitelist getNodesAllowlist getNodesWhitelist reloadPermissionsFromFile
    removeAccountsFromAllowlist removeAccountsFromWhitelist removeNodesFromAllowlist removeNodesFromWhitelist`,
  plugins: `reloadPluginConfig`,
  qbft: `discardValidatorVote getPendingVotes getRequestTimeoutSeconds getSignerMetrics getValidatorsByBlockHash
    getValidatorsByBlockNumber proposeValidatorVote`,
  rpc: `modules`,
  testing: `buildBlockV1`,
  trace: `block call callMany filter get rawTransaction replayBlockTransactions transaction`,
  txpool: `besuPendingTransactions besuStatistics besuTransactions contentFrom status`,
  web3: `clientVersion sha3`,
}

const NAMES: ReadonlySet<string> = new Set(
  Object.entries(KNOWN).flatMap(([group, names]) => names.split(/\s+/).map(name => `${group}_${name}`)),
)

export const isKnownMethod = (name: string): boolean => NAMES.has(name)
