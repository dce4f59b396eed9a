//! Subscriptions and plans: who is let in at all.
