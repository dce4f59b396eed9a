//! Operations for each node of a distributed database.
use super::Db;
use super::nodes::{CommitGroup, Nodes};
use database::postgres::by_node::LaneOf;
use database::postgres::route::Route;
use std::borrow::Cow;
use std::collections::BTreeMap;
use uuid::Uuid;

impl Db {
    /// Returns this database with the route to the node that has a tenant's rows, if they are on
    /// one node.
    pub(crate) fn near(&self, tenant: Option<Uuid>) -> Cow<'_, Self> {
        match tenant.filter(|_| self.nodes.are_several()) {
            Some(tenant) => Cow::Owned(self.by(self.nodes.route(self.nodes.node_of(&tenant)))),
            None => Cow::Borrowed(self),
        }
    }

    /// Returns this database with the route to one of the nodes in turn.
    pub(crate) fn anywhere(&self) -> Self {
        self.by(self.nodes.any())
    }

    /// Splits items about several tenants by node, and returns each part with the route to its
    /// node.
    pub(crate) fn by_node<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
    ) -> Vec<(Self, Vec<T>)> {
        self.parts(all, tenant, Nodes::commit_group)
    }

    /// Splits items about several tenants by shard, like [`Self::by_node`].
    pub(crate) fn by_shard<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
    ) -> Vec<(Self, Vec<T>)> {
        self.parts(all, tenant, Nodes::lane_of_shard)
    }

    fn parts<T>(
        &self,
        all: Vec<T>,
        tenant: impl Fn(&T) -> Option<Uuid>,
        lane: LaneOf,
    ) -> Vec<(Self, Vec<T>)> {
        if !self.nodes.are_several() {
            return vec![(self.clone(), all)];
        }
        let mut parts: BTreeMap<CommitGroup, Vec<T>> = BTreeMap::new();
        for one in all {
            let lane = tenant(&one).map(|tenant| lane(&self.nodes, &tenant));
            parts.entry(lane.unwrap_or_default()).or_default().push(one);
        }
        parts.into_iter().map(|(lane, part)| (self.by(self.nodes.route(lane.node)), part)).collect()
    }

    fn by(&self, route: Route) -> Self {
        Self { route, ..self.clone() }
    }
}
