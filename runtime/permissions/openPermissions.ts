import { join } from 'node:path'
import type { Address } from '../../core/bytes/bytes.ts'
import { fromHex, toHex } from '../../core/bytes/hex.ts'
import type { Transaction } from '../../core/block/transaction.ts'
import type { Chain } from '../../core/chain/chain.ts'
import type { RpcPermissions } from '../../handlers/rpc/permissions.ts'
import { formatEnode, parseEnode } from '../../p2p/transport/enode.ts'
import type { PermittedNode } from '../../p2p/peers/permittedNodes.ts'
import type { NodeOptions } from '../cli/nodeOptions.ts'
import { CommandError } from '../cli/errors.ts'
import type { Log } from '../logging/log.ts'
import { type Allowlist, createAllowlist, type EntryRules } from './allowlist.ts'
import type { PermissionCounts } from '../metrics/permissionMetrics.ts'
import { createConnectionCounters } from '../threads/network/connectionCounts.ts'
import { refusedByContract } from './accountContract.ts'
import { PermissionError } from './error.ts'
import {
  ACCOUNTS_KEY,
  accountOf,
  isEnode,
  NODES_KEY,
  type PermissionsFile,
  readPermissions,
  requireList,
  writePermissions,
} from './permissionsFile.ts'
import { resolveNodes } from './resolvedNodes.ts'

const FILE_NAME = 'permissions_config.toml'

/** The permission lists of a node; a list is undefined where it is off. */
export type Permissions = {
  readonly accounts: Allowlist | undefined
  readonly nodes: Allowlist | undefined
  /** Why an account may send no transactions, checked when it is submitted to the pool; undefined when it may. */
  readonly refusesSender: (sender: Address, transaction: Transaction) => string | undefined
  /** Sets the chain whose contract is called; until then a contract permits nothing. */
  readonly attach: (chain: Chain) => void
  /** Undefined where every node may be connected. */
  readonly permittedNodes: () => readonly PermittedNode[] | undefined
  /** Reads both lists again. @throws PermissionError; the lists stay as they were */
  readonly reload: () => void
  /** Called after a change of the nodes. */
  onNodesChanged(listener: () => void): void
  /** Called after a change of the accounts. */
  onAccountsChanged(listener: () => void): void
  /** Where the network counts its checks of nodes, see connectionCounts.ts. */
  readonly connectionCounters: SharedArrayBuffer
  /** Checks of accounts since the start. */
  readonly accountCounts: () => PermissionCounts
  readonly stop: () => void
}

type Options = Pick<
  NodeOptions,
  | 'dataPath'
  | 'bootnodes'
  | 'permissionsNodesConfigFileEnabled'
  | 'permissionsNodesConfigFile'
  | 'permissionsAccountsConfigFileEnabled'
  | 'permissionsAccountsConfigFile'
  | 'permissionsAccountsContract'
>

const ACCOUNT_RULES: EntryRules = {
  empty: 'EMPTY_ACCOUNTS',
  invalid: 'INVALID_ACCOUNT',
  duplicate: 'DUPLICATE_ACCOUNTS',
  existing: 'EXISTING_ACCOUNT',
  absent: 'ABSENT_ACCOUNT',
  normalized: accountOf,
  isFixed: () => false,
}

/** An enode without its discovery port, which is not compared. */
const plainEnode = (text: string): string | undefined => {
  if (!isEnode(text)) return undefined
  const { publicKey, host, port } = parseEnode(text)
  return formatEnode({ publicKey, host, port })
}

const nodeRules = (fixed: readonly string[]): EntryRules => {
  const entries = new Set(fixed.map(plainEnode))
  return {
    empty: 'EMPTY_NODES',
    invalid: 'INVALID_NODE',
    duplicate: 'DUPLICATE_NODES',
    existing: 'EXISTING_NODE',
    absent: 'ABSENT_NODE',
    normalized: plainEnode,
    isFixed: entry => entries.has(entry),
  }
}

/** Writes a list and reads it back, to detect a concurrent write of another program. */
const persisting =
  (path: string, kind: keyof PermissionsFile) =>
  (list: readonly string[]): void => {
    writePermissions(path, { [kind]: list })
    const kept = readPermissions(path)[kind] ?? []
    if (kept.join() !== list.join())
      throw new PermissionError('FILE_OUT_OF_SYNC', `${path} holds another list`)
  }

const requireFixed = (list: Allowlist, fixed: readonly string[], path: string): void => {
  const missing = fixed.filter(enode => !list.has(plainEnode(enode) ?? enode))
  if (missing.length > 0)
    throw new CommandError(
      'PERMISSIONS',
      `Specified node(s) not in nodes-allowlist [${missing.join(', ')}]: add them to ${path}, or leave them out of --bootnodes and the static nodes`,
    )
}

const refusedByList = (accounts: Allowlist | undefined, sender: Address): string | undefined => {
  if (accounts === undefined) return undefined
  const account = toHex(sender)
  return accounts.has(account) ? undefined : `${account} is not in the accounts allowlist of this node`
}

/** Reads the lists that the options enable. @throws CommandError that names the file and what is wrong in it */
export const openPermissions = (options: Options, staticNodes: readonly string[], log: Log): Permissions => {
  const { dataPath, permissionsNodesConfigFileEnabled, permissionsAccountsConfigFileEnabled } = options
  const nodesPath = options.permissionsNodesConfigFile ?? join(dataPath, FILE_NAME)
  const accountsPath = options.permissionsAccountsConfigFile ?? join(dataPath, FILE_NAME)
  const listeners: (() => void)[] = []
  const nodeListeners: (() => void)[] = []
  const counts = { permitted: 0, unpermitted: 0 }
  const fixed = [...options.bootnodes, ...staticNodes]
  const readAccounts = (): readonly string[] =>
    requireList(accountsPath, readPermissions(accountsPath).accounts, ACCOUNTS_KEY)
  const readNodes = (): readonly string[] =>
    requireList(nodesPath, readPermissions(nodesPath).nodes, NODES_KEY)

  const accounts = permissionsAccountsConfigFileEnabled
    ? createAllowlist(readAccounts(), ACCOUNT_RULES, persisting(accountsPath, 'accounts'), () => {
        for (const listener of listeners) listener()
      })
    : undefined
  const nodes = permissionsNodesConfigFileEnabled
    ? createAllowlist(readNodes(), nodeRules(fixed), persisting(nodesPath, 'nodes'), () => {
        resolved?.changed()
        for (const listener of nodeListeners) listener()
      })
    : undefined
  if (nodes !== undefined) requireFixed(nodes, fixed, nodesPath)
  const resolved = nodes === undefined ? undefined : resolveNodes(nodes.list, log)

  const contract =
    options.permissionsAccountsContract === undefined
      ? undefined
      : fromHex(options.permissionsAccountsContract)
  let chain: Chain | undefined
  const callContract = (sender: Address, transaction: Transaction): string | undefined => {
    if (contract === undefined) return undefined
    return chain === undefined
      ? 'the node starts: the permission contract cannot be called yet'
      : refusedByContract(chain, contract, sender, transaction)
  }

  return {
    accounts,
    nodes,
    refusesSender: (sender, transaction) => {
      if (accounts === undefined && contract === undefined) return undefined
      const refusal = refusedByList(accounts, sender) ?? callContract(sender, transaction)
      counts[refusal === undefined ? 'permitted' : 'unpermitted']++
      return refusal
    },
    attach: to => {
      chain = to
    },
    permittedNodes: () => resolved?.current(),
    reload: () => {
      try {
        const nextAccounts = accounts === undefined ? undefined : readAccounts()
        const nextNodes = nodes === undefined ? undefined : readNodes()
        if (nextAccounts !== undefined) accounts?.replace(nextAccounts)
        if (nextNodes !== undefined) nodes?.replace(nextNodes)
      } catch (cause) {
        if (!(cause instanceof CommandError)) throw cause
        throw new PermissionError('RELOAD_FAILED', cause.message, { cause })
      }
    },
    onNodesChanged: listener => void nodeListeners.push(listener),
    onAccountsChanged: listener => void listeners.push(listener),
    connectionCounters: createConnectionCounters(),
    accountCounts: () => counts,
    stop: () => resolved?.stop(),
  }
}

/** The lists as JSON-RPC changes them; undefined where both are off. */
export const rpcPermissionsOf = ({ accounts, nodes, reload }: Permissions): RpcPermissions | undefined =>
  accounts === undefined && nodes === undefined
    ? undefined
    : {
        accounts,
        nodes,
        reload,
        permitsNode: enode => nodes === undefined || nodes.has(plainEnode(enode) ?? enode),
      }
