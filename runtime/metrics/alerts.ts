import { PROGRAM } from '../cli/program.ts'

export type AlertOptions = {
  /** Name of the scrape job. */
  readonly job: string
  /** Time without a message after which a validator is silent, and without a block after which the chain is stalled. */
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
  const metric = metricOf(job)
  const sinceHeard = `time() - max by (validator) (${metric('qbft_validator_last_seen_timestamp_seconds')})`
  return [
    {
      name: 'QuorateValidatorSilent',
      expression: `${sinceHeard} > ${silentSeconds}`,
      forSeconds: 0,
      severity: 'warning',
      summary: 'Validator {{ $labels.validator }} has been silent for {{ $value | humanizeDuration }}',
      description: 'No node has received a message from it. Start it, or check its connections.',
    },
    {
      name: 'QuorateNoMoreFailures',
      expression: `count((${sinceHeard}) <= ${silentSeconds}) <= ceil(max(${metric('qbft_validators')}) * 2 / 3) < max(${metric('qbft_validators')})`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'Only {{ $value }} validators are heard: the chain stops if one more fails',
      description: 'The remaining validators are exactly a quorum of two thirds.',
    },
    {
      name: 'QuorateRoundChanges',
      expression: `sum by (instance) (increase(${metric('qbft_rounds_total')}[10m])) > 10`,
      forSeconds: 60,
      severity: 'warning',
      summary: 'Blocks take more than one round on {{ $labels.instance }}',
      description:
        'Check the missed proposals of each validator, the clocks and the duration of the steps. Where qbft_proposal_gas_limit is not 0, the node makes smaller blocks until rounds end early again.',
    },
    {
      name: 'QuorateMissedProposals',
      expression: `max by (validator) (increase(${metric('qbft_missed_proposals_total')}[10m])) > 3`,
      forSeconds: 0,
      severity: 'warning',
      summary: 'Validator {{ $labels.validator }} misses its proposals',
      description: 'It missed {{ $value | humanize }} proposals in ten minutes.',
    },
    {
      name: 'QuorateDoubleSigning',
      expression: `sum by (kind) (increase(${metric('qbft_evidence_total')}[1h])) > 0`,
      forSeconds: 0,
      severity: 'critical',
      summary: 'A validator signed two different messages of one round',
      description: 'Two nodes run with one key, or the validator is faulty. The log names it.',
    },
    {
      name: 'QuorateClocksApart',
      expression: `abs(${metric('qbft_clock_offset_seconds')}) > 1`,
      forSeconds: 60,
      severity: 'warning',
      summary: 'The clocks of {{ $labels.instance }} and {{ $labels.validator }} are {{ $value }} s apart',
      description: 'Synchronize both machines (NTP): blocks from the future are refused.',
    },
  ]
}

const nodeAlerts = ({ job, silentSeconds }: AlertOptions): readonly Alert[] => {
  const metric = metricOf(job)
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
      expression: `max by (instance) (${metric('qbft_stalled')}) > 0`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: '{{ $labels.instance }} reports that no block is decided',
      description: `Run \`${PROGRAM} doctor --url=<JSON-RPC URL of the node>\`: it says the reason in one sentence.`,
    },
    {
      name: 'QuorateNoPeers',
      expression: `${metric('ethereum_peer_count')} == 0 and ${metric('qbft_validators')} > 1`,
      forSeconds: silentSeconds,
      severity: 'critical',
      summary: 'Node {{ $labels.instance }} has no peers',
      description: 'Check its bootnodes, its --p2p-host and the firewall.',
    },
    {
      name: 'QuorateBehind',
      expression: `${metric('ethereum_best_known_block_number')} - ${metric('ethereum_blockchain_height')} > 10`,
      forSeconds: 300,
      severity: 'warning',
      summary: 'Node {{ $labels.instance }} is {{ $value }} blocks behind its peers',
      description: 'It is catching up, or its disk or processor is too slow for the chain.',
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
