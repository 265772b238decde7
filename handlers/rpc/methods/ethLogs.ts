import { RpcError } from '../dispatch/errors.ts'
import { readLogFilter } from '../logs/filter.ts'
import { installedLogsText, searchLogsText } from '../logs/search.ts'
import { type Method, method, type Params } from './method.ts'
import { given, integerOf } from '../parameters/values.ts'
import { toQuantity } from '../../../core/bytes/hex.ts'

/** A filter's id in the one form that the registry knows. */
const filterId = (params: Params): string => {
  const value = given(params, 0)
  // The text is Besu's.
  if (typeof value !== 'string') throw new RpcError('INVALID_FILTER')
  const id = integerOf(value)
  return id === undefined ? value : toQuantity(id)
}

/** Logs, by search and by polling. */
export const ETH_LOG_METHODS: readonly Method[] = [
  method('eth_getLogs', ['filter'], ({ params, expired }, context) =>
    searchLogsText(context, readLogFilter(given(params, 0)), context.options.logsRangeMax, expired),
  ),
  method('eth_newFilter', ['filter'], ({ params }, { filters }) =>
    filters.newLogFilter(readLogFilter(given(params, 0))),
  ),
  method('eth_newBlockFilter', [], (_, { filters }) => filters.newBlockFilter()),
  method('eth_newPendingTransactionFilter', [], (_, { filters }) => filters.newPendingFilter()),
  method('eth_getFilterChanges', ['filterId'], ({ params, expired }, { filters }) =>
    filters.changes(filterId(params), expired),
  ),
  method('eth_getFilterLogs', ['filterId'], ({ params, expired }, context) =>
    installedLogsText(
      context,
      context.filters.logFilter(filterId(params)),
      context.options.logsRangeMax,
      expired,
    ),
  ),
  method('eth_uninstallFilter', ['filterId'], ({ params }, { filters }) =>
    filters.uninstall(filterId(params)),
  ),
]
