// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Fails in every way that a client tells apart, and keeps something to look at.
contract Failures {
    error Refused(address who, uint256 code);

    uint256 public counter = 7;
    mapping(uint256 => uint256) public squares;

    event Counted(uint256 indexed before, uint256 afterwards);

    function withReason() external pure {
        revert("no reason to go on");
    }

    function withCustomError(uint256 code) external view {
        revert Refused(msg.sender, code);
    }

    function withNothing() external pure {
        revert();
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withBadInstruction() external pure {
        assembly {
            invalid()
        }
    }

    function withoutEnd() external pure {
        while (true) {}
    }

    function count() external returns (uint256) {
        emit Counted(counter, counter + 1);
        counter += 1;
        return counter;
    }

    function fill(uint256 amount) external {
        for (uint256 i = 0; i < amount; i++) squares[i] = i * i + 1;
    }

    /// Needs more gas than it uses: a callee gets 63 of 64 parts.
    function deep(uint256 depth) external {
        if (depth > 0) this.deep(depth - 1);
        else counter += 1;
    }

    function blockNumber() external view returns (uint256) {
        return block.number;
    }

    function caller() external view returns (address, uint256, uint256) {
        return (msg.sender, tx.gasprice, block.basefee);
    }
}
