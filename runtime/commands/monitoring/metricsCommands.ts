import { type Command, defineCommand } from '../../cli/command.ts'
import { integerOption, textOption } from '../../cli/option.ts'
import { GROUP, to } from '../sharedOptions.ts'

export type DashboardOptions = typeof DASHBOARD_OPTIONS
const DASHBOARD_OPTIONS = { to }

export type AlertsOptions = typeof ALERTS_OPTIONS
const ALERTS_OPTIONS = {
  to,
  job: textOption({
    name: 'job',
    group: GROUP,
    fallback: 'quorate',
    placeholder: '<JOB>',
    description: 'Name of the scrape job that reads the nodes',
  }),
  silentSeconds: integerOption({
    name: 'silent-seconds',
    group: GROUP,
    fallback: 60,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description:
      'Time without a message after which a validator counts as silent, or without a block a chain as stalled',
  }),
}

export const METRICS_COMMANDS: readonly Command[] = [
  defineCommand({
    name: 'metrics dashboard',
    summary: 'Print a Grafana dashboard of the metrics, or write it to a file',
    arguments: '',
    options: DASHBOARD_OPTIONS,
    examples: ['--to=dashboard.json'],
    load: async () => (await import('./metrics.ts')).writeDashboard,
  }),
  defineCommand({
    name: 'metrics alerts',
    summary: 'Print alert rules of the metrics for Prometheus, or write them to a file',
    arguments: '',
    options: ALERTS_OPTIONS,
    examples: ['--to=alerts.yml', '--job=consortium --silent-seconds=120'],
    load: async () => (await import('./metrics.ts')).writeAlerts,
  }),
]
