export type AlertOptions = {
  /** Name of the scrape job. */
  readonly job: string
  /** A validator that was not heard for so long is silent, and a chain without a block for so long stands still. */
  readonly silentSeconds: number
}

/** The metric of the nodes of a job. */
const metricOf =
  (job: string) =>
  (metric: string): string =>
    `${metric}{job="${job}"}`

type Alert = {
  readonly name: string
  readonly expression: string
  readonly forSeconds: number
  readonly severity: 'critical' | 'warning'
  readonly summary: string
  readonly description: string
}

const validatorAlerts = ({ job, silentSeconds }: AlertOptions): readonly Alert[] => {
  const of = metricOf(job)
  const sinceHeard = `time() - max by (validator) (${of('qbft_validator_last_seen_timestamp_seconds')})`
  return [
    {
      name: 'QuorateValidatorSilent',
      expression: `${sinceHeard} > ${silentSeconds}`,
      forSeconds: 0,
      severity: 'warning',
      summary: 'Validator {{ $labels.validator }} has been silent for {{ $value | humanizeDuration }}',
      description: 'No node has heard a message of it. Start it, or look at its connections.',
    },
    {
      name: 'QuorateNoMoreFailures',
      expression: `count((${sinceHeard}) <= ${silentSeconds}) <= ceil(max(${of('qbft_validators')}) * 2 / 3) < max(${of('qbft_validators')})`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'Only {{ $value }} validators are heard: the chain stops with the next one that fails',
      description: 'A quorum of two thirds of the validators is left and no more.',
    },
    {
      name: 'QuorateRoundChanges',
      expression: `sum by (instance) (increase(${of('qbft_rounds_total')}[10m])) > 10`,
      forSeconds: 60,
      severity: 'warning',
      summary: 'Blocks take more than one round on {{ $labels.instance }}',
      description: 'Look at missed proposals by validator, clocks and the time of steps.',
    },
    {
      name: 'QuorateMissedProposals',
      expression: `max by (validator) (increase(${of('qbft_missed_proposals_total')}[10m])) > 3`,
      forSeconds: 0,
      severity: 'warning',
      summary: 'Validator {{ $labels.validator }} does not make its blocks',
      description: 'Its rounds passed without a block {{ $value | humanize }} times in ten minutes.',
    },
    {
      name: 'QuorateDoubleSigning',
      expression: `sum by (kind) (increase(${of('qbft_evidence_total')}[1h])) > 0`,
      forSeconds: 0,
      severity: 'critical',
      summary: 'A validator signed two different messages of one round',
      description: 'Two nodes run with one key, or the validator is faulty. The log names it.',
    },
    {
      name: 'QuorateClocksApart',
      expression: `abs(${of('qbft_clock_offset_seconds')}) > 1`,
      forSeconds: 60,
      severity: 'warning',
      summary: 'The clocks of {{ $labels.instance }} and {{ $labels.validator }} are {{ $value }} s apart',
      description: 'Synchronize both machines (NTP): blocks from the future are refused.',
    },
  ]
}

const nodeAlerts = ({ job, silentSeconds }: AlertOptions): readonly Alert[] => {
  const of = metricOf(job)
  return [
    {
      name: 'QuorateNodeDown',
      expression: `up{job="${job}"} == 0`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'Node {{ $labels.instance }} does not answer',
      description: 'Prometheus cannot read its metrics: the process has ended, or its port is not reachable.',
    },
    {
      name: 'QuorateChainStalled',
      expression: `max by (instance) (${of('qbft_stalled')}) > 0`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'No block is decided, says {{ $labels.instance }}',
      description: 'Run `quorate doctor --url=...` against it: it says in one sentence why.',
    },
    {
      name: 'QuorateNoPeers',
      expression: `${of('ethereum_peer_count')} == 0 and ${of('qbft_validators')} > 1`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'Node {{ $labels.instance }} has no peers',
      description: 'Look at its bootnodes, its --p2p-host and the firewall.',
    },
    {
      name: 'QuorateBehind',
      expression: `${of('ethereum_best_known_block_number')} - ${of('ethereum_blockchain_height')} > 10`,
      forSeconds: 300,
      severity: 'warning',
      summary: 'Node {{ $labels.instance }} is {{ $value }} blocks behind its peers',
      description: 'It catches up, or its disk or processor is too slow for the chain.',
    },
  ]
}

/** Text in YAML's double quotes, which are JSON's. */
const quoted = (text: string): string => JSON.stringify(text)

/** Alert rules as a rule file of Prometheus. */
export const alertsYaml = (options: AlertOptions): string => {
  const rules = [...nodeAlerts(options), ...validatorAlerts(options)].map(
    ({ name, expression, forSeconds, severity, summary, description }) => `      - alert: ${name}
        expr: ${quoted(expression)}
        for: ${forSeconds}s
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          description: ${quoted(description)}
`,
  )
  return `groups:\n  - name: quorate\n    rules:\n${rules.join('')}`
}
