/** What differs between the units of nodes. */
export type Unit = {
  readonly description: string
  /** The arguments of the node. */
  readonly args: readonly string[]
  /** The folder of the node below /var/lib, the only one that it may write to. */
  readonly stateDirectory: string
}

/** Where the binary of an installation is, also in the container. */
export const INSTALLED_BINARY = '/usr/local/bin/quorate'

/** The text of a systemd unit that gives a node no more rights than it needs. `packaging/systemd` holds two of them. */
export const unitText = ({ description, args, stateDirectory }: Unit): string => `[Unit]
Description=${description}
After=network-online.target
Wants=network-online.target

[Service]
Type=notify
# The node starts systemd-notify, which is not its main process.
NotifyAccess=all
ExecStart=${[INSTALLED_BINARY, ...args].join(' ')}
Restart=on-failure
RestartSec=2
# A mistake in the configuration, which a restart does not correct.
RestartPreventExitStatus=2
TimeoutStartSec=10min
TimeoutStopSec=60
LimitNOFILE=65536

User=quorate
Group=quorate
StateDirectory=${stateDirectory}
StateDirectoryMode=0700
UMask=0077

NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
# JavaScript is compiled in memory, so MemoryDenyWriteExecute stays off.

[Install]
WantedBy=multi-user.target
`
