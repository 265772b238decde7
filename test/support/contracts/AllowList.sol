// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Validators by accounts that each may activate one, as Besu's documentation describes it: accounts are let in and put out
/// by votes of more than half of those that are allowed. A genesis file fills slots 0 to 3.
contract AllowList {
    struct Account {
        bool allowed;
        bool active;
        uint8 index;
    }

    address[] private validators;
    mapping(address account => Account) private accounts;
    mapping(address validator => address account) private accountOf;
    uint256 private allowedCount;
    mapping(address account => address[] voters) private votes;

    modifier onlyAllowed() {
        require(accounts[msg.sender].allowed, "sender is not allowed");
        _;
    }

    function getValidators() external view returns (address[] memory) {
        return validators;
    }

    /// Also replaces the one that the sender activated before.
    function activate(address validator) external onlyAllowed {
        require(validator != address(0) && accountOf[validator] == address(0), "not a new validator");
        Account storage own = accounts[msg.sender];
        if (own.active) {
            delete accountOf[validators[own.index]];
            validators[own.index] = validator;
        } else {
            require(validators.length < 256, "too many validators");
            own.active = true;
            own.index = uint8(validators.length);
            validators.push(validator);
        }
        accountOf[validator] = msg.sender;
    }

    function deactivate() external onlyAllowed {
        leave(msg.sender);
    }

    function voteToAdd(address account) external onlyAllowed {
        require(!accounts[account].allowed, "already allowed");
        if (!isDecided(account)) return;
        accounts[account].allowed = true;
        allowedCount++;
    }

    function voteToRemove(address account) external onlyAllowed {
        require(accounts[account].allowed, "not allowed");
        if (!isDecided(account)) return;
        if (accounts[account].active) leave(account);
        delete accounts[account];
        allowedCount--;
    }

    function isDecided(address account) private returns (bool) {
        address[] storage voters = votes[account];
        for (uint256 i = 0; i < voters.length; i++) require(voters[i] != msg.sender, "has voted");
        voters.push(msg.sender);
        if (voters.length <= allowedCount / 2) return false;
        delete votes[account];
        return true;
    }

    function leave(address account) private {
        Account storage own = accounts[account];
        require(own.active, "no active validator");
        require(validators.length > 1, "the last one stays");
        delete accountOf[validators[own.index]];
        address last = validators[validators.length - 1];
        validators[own.index] = last;
        validators.pop();
        if (accountOf[last] != address(0)) accounts[accountOf[last]].index = own.index;
        own.active = false;
    }
}
